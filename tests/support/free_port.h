// free_port.h -- loopback ports nobody listens on.
//
// The kernel is asked (by binding), but only about ports *below* its ephemeral range. A port out of that
// range could be taken by any outgoing connection while a test has its server down for a restart; worse, a
// client that keeps connecting to a dead ephemeral port is sooner or later given that very port as its own
// source and connects to itself.
//
// A port is given once, to one test of this machine, for as long as its process lives: two tests that start their servers on one
// port would both find it served. Other programs may still take it before it is used; whoever starts a server on it tries again
// with another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace holdfast::testing {

// A server gave up because its port was taken in the meantime. Try again with another one.
class PortTaken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws std::runtime_error if none is found.
std::uint16_t free_port();

// `count` distinct ones.
std::vector<std::uint16_t> free_ports(std::size_t count);

}  // namespace holdfast::testing
