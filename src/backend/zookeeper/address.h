// address.h -- zk://host:port,host:port[/chroot], where zk:// may be left out if every host has its port, and zks:// for the same with TLS.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "net/server_address.h"

namespace holdfast::zookeeper {

struct Address {
  // None: what dials knows by itself where to go (embedded:, local:).
  net::ServerAddresses servers{};
  std::string chroot{};  // "" or "/app"; created when needed, unlike ZooKeeper's own chroot
  bool tls = false;
  std::string called{};  // in messages: "ZooKeeper at 10.0.0.1:2181"
};

// It is meant to be such an address, right or wrong.
bool is_address(std::string_view url);
// The same, with zk:// if that was left out.
std::string with_scheme(std::string_view url);
// Or one sentence that says what is wrong and what would be right.
tl::expected<Address, std::string> parse_address(std::string_view url);

}  // namespace holdfast::zookeeper
