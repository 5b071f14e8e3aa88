#include "backend/redis/address.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/text.h"

namespace holdfast::redis {
namespace {

constexpr std::string_view kPort = "6379";
constexpr std::string_view kSentinelPort = "26379";

enum class Kind { servers, unix_socket, sentinels };

struct Scheme {
  std::string_view text;
  Kind kind;
  bool tls;
};
constexpr std::array<Scheme, 5> kSchemes{{{"redis://", Kind::servers, false},
                                          {"rediss://", Kind::servers, true},
                                          {"redis+unix://", Kind::unix_socket, false},
                                          {"redis+sentinel://", Kind::sentinels, false},
                                          {"rediss+sentinel://", Kind::sentinels, true}}};

std::string_view shape(Kind kind) {
  switch (kind) {
    case Kind::servers: break;
    case Kind::unix_socket: return "redis+unix:///path/of/the/socket?db=0";
    case Kind::sentinels: return "redis+sentinel://host:port,host:port/name-of-the-master/db";
  }
  return "redis://user:password@host:port/db";
}

using Wrong = tl::unexpected<std::string>;

// "%40" is "@". `kept`: what may follow a percent sign that stays.
tl::expected<std::string, std::string> decoded(std::string_view text, std::string_view kept = {}) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      plain += text[at];
      continue;
    }
    unsigned byte = 0;
    const auto digits = text.substr(at + 1, 2);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() == 2 && parsed.ec == std::errc() && parsed.ptr == digits.data() + 2) {
      plain += static_cast<char>(byte);
      at += 2;
    } else if (!digits.empty() && kept.find(digits[0]) != std::string_view::npos) {
      plain += '%';
    } else {
      return Wrong("a percent sign is not followed by two hexadecimal digits; write %25 for the sign itself");
    }
  }
  return plain;
}

// The parts of a URL, as they are spelled.
struct Parts {
  Scheme scheme{};
  std::optional<std::string_view> user_info;
  std::string_view hosts;
  std::string_view path;   // with its slash
  std::string_view query;  // without the question mark
};

std::optional<Parts> split(std::string_view url) {
  Parts parts;
  for (const auto& scheme : kSchemes) {
    if (url.starts_with(scheme.text)) parts.scheme = scheme;
  }
  if (parts.scheme.text.empty()) return std::nullopt;
  auto rest = url.substr(parts.scheme.text.size());
  const auto end = std::min(rest.find_first_of("/?"), rest.size());
  parts.hosts = rest.substr(0, end);
  rest.remove_prefix(end);
  if (const auto at = parts.hosts.rfind('@'); at != std::string_view::npos) {
    parts.user_info = parts.hosts.substr(0, at);
    parts.hosts.remove_prefix(at + 1);
  }
  const auto question = std::min(rest.find('?'), rest.size());
  parts.path = rest.substr(0, question);
  if (question < rest.size()) parts.query = rest.substr(question + 1);
  return parts;
}

class Parser {
 public:
  explicit Parser(const Parts& parts) : parts_(parts) {}

  // Empty, or a clause that says what is wrong.
  std::string parse() {
    address_.tls = parts_.scheme.tls;
    for (const auto part : {&Parser::login, &Parser::servers, &Parser::path, &Parser::query}) {
      if (auto wrong = (this->*part)(); !wrong.empty()) return wrong;
    }
    address_.called = parts_.scheme.kind == Kind::sentinels
                          ? fmt::format("Redis, master {} of the Sentinels at {}", base::printable(address_.master),
                                        net::to_text(address_.servers))
                          : "Redis at " + net::to_text(address_.servers);
    return {};
  }
  Address& address() { return address_; }

 private:
  std::string login() {
    if (!parts_.user_info) return {};
    const auto colon = std::min(parts_.user_info->find(':'), parts_.user_info->size());
    const auto password = colon < parts_.user_info->size() ? parts_.user_info->substr(colon + 1) : std::string_view();
    for (const auto& [to, text] :
         {std::pair{&address_.user, parts_.user_info->substr(0, colon)}, std::pair{&address_.password, password}}) {
      auto plain = decoded(text);
      if (!plain) return "in the user or the password " + plain.error();
      *to = *std::move(plain);
    }
    return {};
  }

  std::string servers() {
    if (parts_.scheme.kind == Kind::unix_socket) {
      if (!parts_.hosts.empty()) return "the path of a socket begins with a slash";
      return {};  // it is the path
    }
    auto servers = net::parse_servers(parts_.hosts, parts_.scheme.kind == Kind::sentinels ? kSentinelPort : kPort);
    if (!servers) {
      // A slash or a question mark in a password ends the host.
      const bool hidden = !parts_.user_info && (parts_.path.find('@') != std::string_view::npos ||
                                                parts_.query.find('@') != std::string_view::npos);
      if (hidden) return "there is an @ after a slash or a question mark; in a password write %2F and %3F for those";
      return servers.error();
    }
    address_.servers = *std::move(servers);
    return {};
  }

  std::string path() {
    auto rest = parts_.path;
    switch (parts_.scheme.kind) {
      case Kind::unix_socket: {
        auto path = decoded(rest);
        if (!path) return path.error();
        if (path->size() < 2) return "there is no path";
        address_.servers = {{*std::move(path), ""}};
        return {};
      }
      case Kind::sentinels: {
        rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
        const auto slash = std::min(rest.find('/'), rest.size());
        auto master = decoded(rest.substr(0, slash));
        if (!master) return master.error();
        if (master->empty()) return "after the Sentinels comes the name of the master, as they know it";
        address_.master = *std::move(master);
        rest.remove_prefix(slash);
        break;
      }
      case Kind::servers: break;
    }
    rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
    return rest.empty() ? std::string() : database(rest);
  }

  std::string database(std::string_view text) {
    int number = -1;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || number < 0) {
      return fmt::format("\"{}\" is not the number of a database, such as 0", base::printable(text));
    }
    address_.database = number;
    return {};
  }

  std::string query() {
    auto rest = parts_.query;
    while (!rest.empty()) {
      const auto end = std::min(rest.find('&'), rest.size());
      const auto setting = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const auto equals = std::min(setting.find('='), setting.size());
      const auto value = equals < setting.size() ? setting.substr(equals + 1) : std::string_view();
      if (auto wrong = set(setting.substr(0, equals), value); !wrong.empty()) return wrong;
    }
    return {};
  }

  std::string set(std::string_view name, std::string_view spelled) {
    auto value = decoded(spelled, "s");
    if (!value) return value.error();
    if (name == "mode") {
      for (const auto mode : {RedisMode::queue, RedisMode::cell, RedisMode::redisson}) {
        if (*value == to_string(mode)) {
          address_.mode = mode;
          return {};
        }
      }
      return fmt::format("\"{}\" is not a mode; queue, cell and redisson are", base::printable(*value));
    }
    if (name == "prefix") {
      address_.prefix = *std::move(value);
      return {};
    }
    if (name == "key") {
      address_.key = *std::move(value);
      return {};
    }
    if (name == "db" && parts_.scheme.kind == Kind::unix_socket) return database(*value);
    return fmt::format("\"{}\" is not a setting; mode, prefix and key are", base::printable(name));
  }

  const Parts& parts_;
  Address address_;
};

}  // namespace

bool is_address(std::string_view url) {
  if (net::looks_like_servers(url)) return false;  // ZooKeeper on a host called redis
  return url.starts_with("redis:") || url.starts_with("rediss:") || url.starts_with("redis+") ||
         url.starts_with("rediss+");
}

tl::expected<Address, std::string> parse_address(std::string_view url) {
  const auto wrong = [&](const std::string& what, Kind kind) {
    return Wrong(fmt::format("\"{}\" is not a Redis address: {}; write {}", base::printable(without_password(url)),
                             what, shape(kind)));
  };
  const auto parts = split(url);
  if (!parts) {
    return wrong("it does not begin with redis://, rediss://, redis+unix://, redis+sentinel:// or rediss+sentinel://",
                 Kind::servers);
  }
  Parser parser(*parts);
  if (const auto what = parser.parse(); !what.empty()) return wrong(what, parts->scheme.kind);
  return std::move(parser.address());
}

// Also of a URL that is wrong, and whose password ends somewhere else than its writer meant.
std::string without_password(std::string_view url) {
  const auto slashes = url.find("//");
  const auto at = url.rfind('@');
  if (!is_address(url) || at == std::string_view::npos || slashes == std::string_view::npos || at < slashes) {
    return std::string(url);
  }
  const auto colon = url.find(':', slashes);
  if (colon == std::string_view::npos || colon > at) return std::string(url);
  return std::string(url.substr(0, colon + 1)) + "***" + std::string(url.substr(at));
}

}  // namespace holdfast::redis

namespace holdfast {

std::string_view to_string(RedisMode mode) noexcept {
  switch (mode) {
    case RedisMode::queue: break;
    case RedisMode::cell: return "cell";
    case RedisMode::redisson: return "redisson";
  }
  return "queue";
}

}  // namespace holdfast
