// server_address.h -- addresses of servers, and lists of them. The only place that parses them.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace holdfast::net {

struct ServerAddress {
  std::string
      host{};  // what to connect to: a name, a number without brackets, or the path of a Unix socket, which begins with a slash
  std::string port{};  // empty for a Unix socket
  // The name whose number `host` is. A TLS certificate is for a name, and so is a principal of Kerberos.
  std::string name{};

  bool is_path() const { return host.starts_with('/'); }
  const std::string& name_or_host() const { return name.empty() ? host : name; }
  // As in a list: "10.0.0.1:2181", "[::1]:2181", "/run/engine"; with the name, if that is known.
  std::string text() const;
  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
  friend auto operator<=>(const ServerAddress&, const ServerAddress&) = default;
};
using ServerAddresses = std::vector<ServerAddress>;

// ZooKeeper's port for plain text. It has none for TLS; its documentation uses this one.
inline constexpr std::string_view kPlainPort = "2181";
inline constexpr std::string_view kTlsPort = "2281";

// "10.0.0.1:2181,[::1]:2182,zoo", where a missing port becomes `default_port`, or the path of one Unix socket. The error is a clause that says
// what is wrong.
tl::expected<ServerAddresses, std::string> parse_servers(std::string_view list,
                                                         std::string_view default_port = kPlainPort);
// "10.0.0.1:2181,[::1]:2181"
std::string to_text(const ServerAddresses& servers);

// Whether it is a list as above with a port after every host, and perhaps a path at the end, so that it can hardly be anything else.
bool looks_like_servers(std::string_view text);

}  // namespace holdfast::net
