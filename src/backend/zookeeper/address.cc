#include "backend/zookeeper/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "backend/zookeeper/node_name.h"
#include "base/name.h"
#include "base/text.h"

namespace holdfast::zookeeper {
namespace {

constexpr std::string_view kScheme = "zk://";
constexpr std::string_view kTlsScheme = "zks://";
// ZooKeeper has none for secureClientPort; its documentation uses this one.
constexpr std::string_view kDefaultPort = ":2181";
constexpr std::string_view kDefaultTlsPort = ":2281";

bool is_name(std::string_view host) {
  return std::all_of(host.begin(), host.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; });
}

bool is_ipv6(std::string_view host) {
  in6_addr ignored{};
  return ::inet_pton(AF_INET6, std::string(host).c_str(), &ignored) == 1;
}

// "host", "host:port", "[::1]" or "[::1]:port" -> "host:port"
tl::expected<std::string, std::string> parse_server(std::string_view server, std::string_view default_port) {
  std::string_view host;
  std::string_view rest;
  if (server.starts_with('[')) {  // an IPv6 address has colons of its own
    const auto bracket = server.find(']');
    if (bracket == std::string_view::npos)
      return tl::unexpected(fmt::format("\"{}\" has no closing bracket", base::printable(server)));
    host = server.substr(1, bracket - 1);
    rest = server.substr(bracket + 1);
    if (!is_ipv6(host)) {
      return tl::unexpected(fmt::format("\"{}\" is not an IPv6 address", base::printable(host)));
    }
  } else {
    if (is_ipv6(server)) {
      return tl::unexpected(
          fmt::format("\"{}\" is an IPv6 address without brackets; write [{}] or, if its end is the port, [...]:port",
                      base::printable(server), base::printable(server)));
    }
    host = server.substr(0, server.find(':'));
    rest = server.substr(host.size());
    if (host.empty()) return tl::unexpected(std::string("a host is empty"));
    if (!is_name(host)) return tl::unexpected(fmt::format("\"{}\" is not a host", base::printable(host)));
  }
  if (rest.empty()) rest = default_port;
  const auto port = rest.substr(1);
  unsigned number = 0;
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), number);
  if (rest[0] != ':' || parsed.ec != std::errc() || parsed.ptr != port.data() + port.size() || number == 0 ||
      number > 65535) {
    return tl::unexpected(fmt::format("\"{}\" is not a port between 1 and 65535", base::printable(port)));
  }
  return fmt::format("{}:{}", host, number);
}

}  // namespace

tl::expected<Address, std::string> parse_address(std::string_view url) {
  const auto wrong = [&](const std::string& what) {
    return tl::unexpected(
        fmt::format("\"{}\" is not a ZooKeeper address: {}; write zk://host:port,host:port or zk://host:port/chroot",
                    base::printable(url), what));
  };
  std::string_view rest = url;
  Address address;
  address.tls = rest.starts_with(kTlsScheme);
  if (!address.tls && !rest.starts_with(kScheme)) return wrong("it does not begin with zk:// or zks://");
  rest.remove_prefix(address.tls ? kTlsScheme.size() : kScheme.size());

  const auto slash = rest.find('/');
  if (slash != std::string_view::npos) {
    address.chroot = rest.substr(slash);
    rest = rest.substr(0, slash);
    if (address.chroot == "/") address.chroot.clear();
    if (!address.chroot.empty()) {
      if (const auto name = base::parse_name(address.chroot); !name) return wrong("its chroot: " + name.error());
      address.chroot = node_of_name(address.chroot);
    }
  }
  for (std::size_t begin = 0; begin <= rest.size();) {
    const auto end = std::min(rest.find(',', begin), rest.size());
    const auto server = parse_server(rest.substr(begin, end - begin), address.tls ? kDefaultTlsPort : kDefaultPort);
    if (!server) return wrong(server.error());
    address.several = begin > 0;
    if (address.several) address.hosts += ',';
    address.hosts += *server;
    begin = end + 1;
  }
  address.called = "ZooKeeper at " + address.hosts;
  return address;
}

}  // namespace holdfast::zookeeper
