#include "net/server_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace holdfast::net {
namespace {

// No ensemble has more; a longer list is a mistake.
constexpr std::size_t kMostServers = 100;

bool is_name(std::string_view host) {
  return std::all_of(host.begin(), host.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; });
}

bool is_ipv6(std::string_view host) {
  in6_addr ignored{};
  return ::inet_pton(AF_INET6, std::string(host).c_str(), &ignored) == 1;
}

bool is_port(std::string_view port) {
  unsigned number = 0;
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == port.data() + port.size() && number > 0 && number <= 65535;
}

// "host", "host:port", "[::1]" or "[::1]:port"
tl::expected<ServerAddress, std::string> parse_server(std::string_view server, std::string_view default_port) {
  std::string_view host;
  std::string_view rest;
  if (server.starts_with('[')) {  // an IPv6 address has colons of its own
    const auto bracket = server.find(']');
    if (bracket == std::string_view::npos) {
      return tl::unexpected(fmt::format("\"{}\" has no closing bracket", base::printable(server)));
    }
    host = server.substr(1, bracket - 1);
    rest = server.substr(bracket + 1);
    if (!is_ipv6(host)) return tl::unexpected(fmt::format("\"{}\" is not an IPv6 address", base::printable(host)));
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
  const auto port = rest.empty() ? default_port : rest.substr(1);
  if ((!rest.empty() && rest[0] != ':') || !is_port(port)) {
    return tl::unexpected(fmt::format("\"{}\" is not a port between 1 and 65535", base::printable(port)));
  }
  return ServerAddress{std::string(host), std::string(port)};
}

// Calls `f` for each part of a list until it returns false. True: it never did.
template <class F>
bool for_each_part(std::string_view list, F&& f) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const auto end = std::min(list.find(',', begin), list.size());
    if (!f(list.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace

std::string ServerAddress::text() const {
  if (port.empty()) return base::printable(host, std::string::npos);
  const auto& shown = name_or_host();
  return shown.find(':') == std::string::npos ? fmt::format("{}:{}", shown, port) : fmt::format("[{}]:{}", shown, port);
}

tl::expected<ServerAddresses, std::string> parse_servers(std::string_view list, std::string_view default_port) {
  if (list.starts_with('/')) return ServerAddresses{{std::string(list), ""}};
  ServerAddresses servers;
  std::string wrong;
  const auto add = [&](std::string_view part) {
    auto server = parse_server(part, default_port);
    if (!server) {
      wrong = server.error();
    } else if (servers.size() == kMostServers) {
      wrong = fmt::format("there are more than {} servers", kMostServers);
    } else {
      servers.push_back(*std::move(server));
    }
    return wrong.empty();
  };
  if (!for_each_part(list, add)) return tl::unexpected(std::move(wrong));
  return servers;
}

std::string to_text(const ServerAddresses& servers) {
  std::string text;
  for (const auto& each : servers) text += fmt::format("{}{}", text.empty() ? "" : ",", each.text());
  return text;
}

bool looks_like_servers(std::string_view text) {
  return for_each_part(text.substr(0, text.find('/')), [](std::string_view part) {
    const auto colon = part.rfind(':');
    return colon != std::string_view::npos && is_port(part.substr(colon + 1)) &&
           parse_server(part, kPlainPort).has_value();
  });
}

}  // namespace holdfast::net
