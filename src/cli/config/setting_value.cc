#include "cli/config/setting_value.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace holdfast::cli {
namespace {

constexpr Range<std::size_t> kPorts{0, 65535};

bool is_host_name(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace

Parsed<Listen> parse_listen(std::string_view text, bool tls) {
  const auto wrong = [](std::string_view what) {
    return tl::unexpected(fmt::format("{}; write HOST:PORT, such as 127.0.0.1:2181 or [::1]:2181", what));
  };
  Listen listen{.tls = tls};
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || (text.starts_with('[') && text.ends_with(']')))
    return wrong("the port is missing");
  const auto host = text.substr(0, colon);
  const auto port = parse_count(text.substr(colon + 1), kPorts);
  if (!port) return wrong("the port is not a number up to 65535");
  if (host.empty()) return wrong("the host is missing (0.0.0.0 would be every address of this machine)");
  if (host.starts_with('[') && host.ends_with(']')) {
    listen.host = host.substr(1, host.size() - 2);
    in6_addr ignored{};
    if (::inet_pton(AF_INET6, listen.host.c_str(), &ignored) != 1)
      return wrong("there is no IPv6 address in the brackets");
  } else if (host.find(':') != std::string_view::npos) {
    return wrong("an IPv6 address needs brackets");
  } else if (is_host_name(host)) {
    listen.host = host;
  } else {
    return wrong("the host is neither an address nor a name");
  }
  listen.port = static_cast<std::uint16_t>(*port);
  return listen;
}

std::string show_listen(const Listen& listen) {
  const bool v6 = listen.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(v6 ? "[{}]:{}" : "{}:{}"), listen.host, listen.port);
}

bool is_loopback(const Listen& listen) {
  in_addr v4{};
  if (::inet_pton(AF_INET, listen.host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  if (::inet_pton(AF_INET6, listen.host.c_str(), &v6) == 1) {
    if (IN6_IS_ADDR_V4MAPPED(&v6)) return v6.s6_addr[12] == 127;
    return IN6_IS_ADDR_LOOPBACK(&v6);
  }
  return listen.host == "localhost";
}

Parsed<std::string> parse_digest(std::string_view text) {
  constexpr std::size_t kBase64OfSha1 = 28;  // 20 bytes, and one '=' at the end
  const auto colon = text.find(':');
  const auto hash = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  const bool plain = std::all_of(hash.begin(), hash.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '+' || c == '/' || c == '=';
  });
  if (colon == 0 || hash.size() != kBase64OfSha1 || hash.find('=') != kBase64OfSha1 - 1 || !plain) {
    return tl::unexpected(
        std::string("write user:base64(sha1(user:password)), the hash being 28 characters with one = at the end"));
  }
  return std::string(text);
}

}  // namespace holdfast::cli
