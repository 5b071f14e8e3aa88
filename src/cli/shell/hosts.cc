#include "cli/shell/hosts.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::cli::shell {
namespace {

// More than any ensemble has; a list that long is something else.
constexpr std::size_t kMostHosts = 100;

Parsed<Host> parse_host(std::string_view text) {
  const auto wrong = [&] {
    return tl::unexpected("Not a server: \"" + base::printable(text) + "\"; write host:port, such as 127.0.0.1:2181");
  };
  Host host;
  auto rest = text;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return wrong();
    host.name = text.substr(1, end - 1);
    rest = text.substr(end + 1);
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    host.name = text.substr(0, colon);
    rest = text.substr(colon);
  }
  if (host.name.empty()) return wrong();
  if (rest.empty()) return host;
  if (!rest.starts_with(':') || !parse_count(rest.substr(1), {1, 65535})) return wrong();
  host.port = rest.substr(1);
  return host;
}

}  // namespace

std::string Host::shown() const {
  const auto plain = base::printable(name, std::string::npos);
  if (name.starts_with('/')) return plain;
  return (name.find(':') == std::string::npos ? plain : '[' + plain + ']') + ':' + port;
}

Parsed<std::vector<Host>> parse_hosts(std::string_view text) {
  std::vector<Host> hosts;
  if (text.starts_with('/')) return std::vector{Host{.name = std::string(text), .port = {}}};
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    auto host = parse_host(text.substr(begin, end - begin));
    if (!host) return tl::unexpected(host.error());
    hosts.push_back(*std::move(host));
    begin = end + 1;
    if (hosts.size() > kMostHosts) return tl::unexpected(std::string("There are more than 100 servers in that list"));
  }
  return hosts;
}

}  // namespace holdfast::cli::shell
