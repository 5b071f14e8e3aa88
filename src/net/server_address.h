// server_address.h -- where a server listens, and lists of such: the one place that reads them.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace holdfast::net {

struct ServerAddress {
  std::string
      host{};  // what to connect to: a name, a number without brackets, or the path of a Unix socket, which begins with a slash
  std::string port{};  // none of a Unix socket
  // What the number in `host` was looked up for. A certificate of TLS is for a name, and so is a principal of Kerberos.
  std::string name{};

  bool is_path() const { return host.starts_with('/'); }
  const std::string& name_or_host() const { return name.empty() ? host : name; }
  // As it is written in a list: "10.0.0.1:2181", "[::1]:2181", "/run/engine"; by its name, if that is known.
  std::string text() const;
  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
  friend auto operator<=>(const ServerAddress&, const ServerAddress&) = default;
};
using ServerAddresses = std::vector<ServerAddress>;

// ZooKeeper's for plain text. For TLS it has none; its documentation uses this one.
inline constexpr std::string_view kPlainPort = "2181";
inline constexpr std::string_view kTlsPort = "2281";

// "10.0.0.1:2181,[::1]:2182,zoo", where a port that is missing is `default_port`, or the path of one Unix socket. Or a clause that says what is
// wrong.
tl::expected<ServerAddresses, std::string> parse_servers(std::string_view list,
                                                         std::string_view default_port = kPlainPort);
// "10.0.0.1:2181,[::1]:2181"
std::string to_text(const ServerAddresses& servers);

// A list as above, with a port after every host, and perhaps a path after it: what can hardly be meant for anything else.
bool looks_like_servers(std::string_view text);

}  // namespace holdfast::net
