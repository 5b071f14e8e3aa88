#include "backend/zookeeper/address.h"

#include <fmt/format.h>

#include <charconv>

#include "base/name.h"

namespace holdfast::zookeeper {
namespace {

constexpr std::string_view kScheme = "zk://";
constexpr std::string_view kDefaultPort = "2181";

}  // namespace

tl::expected<Address, std::string> parse_address(std::string_view url) {
  const auto wrong = [&](const std::string& what) {
    return tl::unexpected(fmt::format(
        "\"{}\" is not a ZooKeeper address: {}; write zk://host:port,host:port or zk://host:port/chroot", url, what));
  };
  std::string_view rest = url;
  if (!rest.starts_with(kScheme)) return wrong("it does not begin with zk://");
  rest.remove_prefix(kScheme.size());

  Address address;
  const auto slash = rest.find('/');
  if (slash != std::string_view::npos) {
    address.chroot = rest.substr(slash);
    rest = rest.substr(0, slash);
    if (address.chroot == "/") address.chroot.clear();
    if (!address.chroot.empty()) {
      if (const auto name = base::parse_name(address.chroot); !name) return wrong("its chroot: " + name.error());
    }
  }
  for (std::size_t begin = 0; begin <= rest.size();) {
    const auto end = std::min(rest.find(',', begin), rest.size());
    const auto server = rest.substr(begin, end - begin);
    begin = end + 1;
    // An IPv6 address stands in brackets, because it has colons of its own.
    const auto bracket = server.starts_with('[') ? server.find(']') : 0;
    if (bracket == std::string_view::npos) return wrong(fmt::format("\"{}\" has no closing bracket", server));
    const auto colon = server.find(':', bracket);
    const auto host = server.substr(0, colon);
    if (host.empty()) return wrong("a host is empty");
    if (host.find_first_of(" \t\r\n@?#") != std::string_view::npos)
      return wrong(fmt::format("\"{}\" is not a host", host));
    const auto port = colon == std::string_view::npos ? kDefaultPort : server.substr(colon + 1);
    unsigned number = 0;
    const auto parsed = std::from_chars(port.data(), port.data() + port.size(), number);
    if (parsed.ec != std::errc() || parsed.ptr != port.data() + port.size() || number == 0 || number > 65535) {
      return wrong(fmt::format("\"{}\" is not a port between 1 and 65535", port));
    }
    if (!address.hosts.empty()) {
      address.hosts += ',';
      address.several = true;
    }
    address.hosts += fmt::format("{}:{}", host, number);
  }
  return address;
}

}  // namespace holdfast::zookeeper
