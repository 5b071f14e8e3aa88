#include "backend/redis/make_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backend/redis/cell_backend.h"
#include "backend/redis/redis_backend.h"
#include "base/assert.h"
#include "base/text.h"
#include "holdfast/error.h"

namespace holdfast::redis {
namespace {

constexpr std::string_view kPrefix = "holdfast";
constexpr std::string_view kKey = "%s";
// It stands in every key, and every request names all keys.
constexpr std::size_t kLongestPrefix = 100;

[[noreturn]] void wrong(std::string sentence) { throw Error(Errc::invalid_argument, std::move(sentence)); }

void check_prefix(const std::string& prefix) {
  const bool bad = std::any_of(prefix.begin(), prefix.end(), [](unsigned char c) {
    return base::is_control(c) || c == '{' || c == '}' || c == ' ' || c > 0x7e;
  });
  if (!bad && !prefix.empty() && prefix.size() <= kLongestPrefix) return;
  wrong(
      fmt::format("\"{}\" cannot be a prefix of Redis' keys; 1 to {} printable ASCII characters without blanks and "
                  "braces can",
                  base::printable(prefix), kLongestPrefix));
}

void check_key(const std::string& key) {
  if (key.find("%s") != std::string::npos && key.find("%s") == key.rfind("%s")) return;
  wrong(fmt::format("\"{}\" is not a pattern of Redis' keys; it has to have %s once, which stands for the name",
                    base::printable(key)));
}

}  // namespace

RedisOptions merged(RedisOptions options, const Address& address) {
  if (!address.user.empty() || !address.password.empty()) {
    options.user = address.user;
    if (!address.password.empty()) options.password = address.password;
  }
  if (address.mode) options.mode = *address.mode;
  if (options.prefix.empty()) options.prefix = kPrefix;
  if (options.key.empty()) options.key = kKey;
  if (address.prefix) options.prefix = *address.prefix;
  if (address.key) options.key = *address.key;
  if (!options.user.empty() && options.password.empty()) {
    wrong(
        fmt::format("the user \"{}\" of Redis has no password; write redis://user:password@host, or set "
                    "redis.password",
                    base::printable(options.user)));
  }
  if (!options.sentinel_user.empty() && options.sentinel_password.empty()) {
    wrong(fmt::format("the user \"{}\" of the Sentinels has no password; set redis.sentinel_password",
                      base::printable(options.sentinel_user)));
  }
  check_prefix(options.prefix);
  check_key(options.key);
  if (options.mode == RedisMode::queue && options.key != kKey) {
    wrong("a pattern for keys is for the modes cell and redisson; for mode queue, set the prefix");
  }
  return options;
}

Client::Options client_options(const Address& address, const RedisOptions& options,
                               std::chrono::milliseconds connection_timeout) {
  return {.servers = address.servers,
          .master = address.master,
          .sentinel_user = options.sentinel_user,
          .sentinel_password = options.sentinel_password,
          .user = options.user,
          .password = options.password,
          .database = address.database,
          .name = "holdfast",
          .connection_timeout = connection_timeout};
}

std::unique_ptr<spi::QueueBackend> make_backend(net::Reactor& reactor, const Address& address,
                                                const RedisOptions& options, std::chrono::milliseconds session_timeout,
                                                std::chrono::milliseconds connection_timeout,
                                                std::shared_ptr<net::ClientTls> tls) {
  auto client = client_options(address, options, connection_timeout);
  switch (options.mode) {
    case RedisMode::queue:
      return std::make_unique<RedisBackend>(
          reactor, Store{.client = std::move(client), .prefix = options.prefix, .called = address.called},
          session_timeout, std::move(tls));
    case RedisMode::cell:
    case RedisMode::redisson: break;
  }
  const bool redisson = options.mode == RedisMode::redisson;
  return std::make_unique<CellBackend>(reactor,
                                       CellStore{.client = std::move(client),
                                                 .layout = {.kind = redisson ? CellKind::redisson : CellKind::text,
                                                            .key = options.key,
                                                            .counter = fmt::format("{{{}}}:token", options.prefix)},
                                                 .called = address.called},
                                       session_timeout, std::move(tls));
}

}  // namespace holdfast::redis
