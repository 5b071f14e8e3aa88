#include "cli/config/setting_value.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

#include "base/text.h"

namespace holdfast::cli {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t worth;
};

// The largest first, which is the order in which show_ tries them.
constexpr std::array kBinaryUnits{Unit{"GiB", 1U << 30}, Unit{"MiB", 1U << 20}, Unit{"KiB", 1U << 10}, Unit{"B", 1}};
constexpr std::array kDecimalUnits{Unit{"GB", 1'000'000'000}, Unit{"MB", 1'000'000}, Unit{"kB", 1'000}};

std::optional<std::uint64_t> parse_digits(std::string_view text) {
  std::uint64_t number = 0;
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

template <typename Units>
std::optional<std::uint64_t> parse_with_unit(std::string_view text, const Units& units) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_digits(text.substr(0, digits));
  const auto name = trimmed(text.substr(digits));
  for (const auto& unit : units) {
    if (!number || unit.name != name) continue;
    if (*number > std::numeric_limits<std::uint64_t>::max() / unit.worth) return std::nullopt;
    return *number * unit.worth;
  }
  return std::nullopt;
}

template <typename Units>
std::string show_with_unit(std::uint64_t number, const Units& units) {
  for (const auto& unit : units) {
    if (number >= unit.worth && number % unit.worth == 0) return fmt::format("{}{}", number / unit.worth, unit.name);
  }
  return fmt::format("{}{}", number, units.back().name);
}

bool is_host_name(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace

Parsed<std::size_t> parse_size(std::string_view text, Range<std::size_t> range) {
  auto number = parse_digits(text);
  if (!number) number = parse_with_unit(text, kBinaryUnits);
  if (!number) number = parse_with_unit(text, kDecimalUnits);
  if (!number || *number < range.least || *number > range.most) {
    return tl::unexpected(fmt::format("write a size from {} to {}, such as 1MiB or 64KiB; a plain number is bytes",
                                      show_size(range.least), show_size(range.most)));
  }
  return *number;
}

std::string show_size(std::size_t size) { return show_with_unit(size, kBinaryUnits); }

Parsed<std::size_t> parse_count(std::string_view text, Range<std::size_t> range) {
  const auto number = parse_digits(text);
  if (!number || *number < range.least || *number > range.most) {
    return tl::unexpected(fmt::format("write a whole number from {} to {}", range.least, range.most));
  }
  return *number;
}

Parsed<bool> parse_flag(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "true" || lower == "yes" || lower == "on") return true;
  if (lower == "false" || lower == "no" || lower == "off") return false;
  return tl::unexpected(std::string("write true or false"));
}

Parsed<Listen> parse_listen(std::string_view text, bool tls) {
  const auto wrong = [](std::string_view what) {
    return tl::unexpected(fmt::format("{}; write HOST:PORT, such as 127.0.0.1:2181 or [::1]:2181", what));
  };
  Listen listen{.tls = tls};
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || (text.starts_with('[') && text.ends_with(']')))
    return wrong("the port is missing");
  const auto host = text.substr(0, colon);
  const auto port = parse_digits(text.substr(colon + 1));
  if (!port || *port > 65535) return wrong("the port is not a number up to 65535");
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

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;  // a line of a terminal
  return '"' + base::printable(text, kLongest) + '"';
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace holdfast::cli
