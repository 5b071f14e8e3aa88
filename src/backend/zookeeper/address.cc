#include "backend/zookeeper/address.h"

#include <fmt/format.h>

#include "backend/zookeeper/node_name.h"
#include "base/name.h"
#include "base/text.h"

namespace holdfast::zookeeper {
namespace {

constexpr std::string_view kScheme = "zk://";
constexpr std::string_view kTlsScheme = "zks://";

}  // namespace

bool is_address(std::string_view url) {
  return url.starts_with("zk:") || url.starts_with("zks:") || net::looks_like_servers(url);
}

std::string with_scheme(std::string_view url) {
  return net::looks_like_servers(url) ? std::string(kScheme) + std::string(url) : std::string(url);
}

tl::expected<Address, std::string> parse_address(std::string_view url) {
  const auto wrong = [&](const std::string& what) {
    return tl::unexpected(
        fmt::format("\"{}\" is not a ZooKeeper address: {}; write zk://host:port,host:port or zk://host:port/chroot",
                    base::printable(url), what));
  };
  const auto whole = with_scheme(url);
  std::string_view rest = whole;
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
  auto servers = net::parse_servers(rest, address.tls ? net::kTlsPort : net::kPlainPort);
  if (!servers) return wrong(servers.error());
  address.servers = *std::move(servers);
  address.called = "ZooKeeper at " + net::to_text(address.servers);
  return address;
}

}  // namespace holdfast::zookeeper
