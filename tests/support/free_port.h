// free_port.h -- loopback ports nobody listens on.
//
// The kernel is asked (by binding), but only about ports *below* its ephemeral range. A port out of that
// range could be taken by any outgoing connection while a test has its server down for a restart; worse, a
// client that keeps connecting to a dead ephemeral port is sooner or later given that very port as its own
// source and connects to itself.
//
// The port is free when the function returns; another program may take it before it is used. Whoever starts
// a server on it tries again with another one.
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

// `count` distinct ones: all are bound at the same time before any is let go.
std::vector<std::uint16_t> free_ports(std::size_t count);

}  // namespace holdfast::testing
