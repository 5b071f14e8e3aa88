// address.h -- zk://host:port,host:port[/chroot], and zks:// for the same with TLS
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace holdfast::zookeeper {

struct Address {
  // None: the client knows by itself where to go (embedded:, local:).
  std::string hosts{};   // "10.0.0.1:2181,::1:2181": what is before the last colon is the host
  std::string chroot{};  // "" or "/app"; created when needed, unlike ZooKeeper's own chroot
  bool several = false;
  bool tls = false;
  std::string called{};  // in messages: "ZooKeeper at 10.0.0.1:2181"
};

// Or one sentence that says what is wrong and what would be right.
tl::expected<Address, std::string> parse_address(std::string_view url);

}  // namespace holdfast::zookeeper
