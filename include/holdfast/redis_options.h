// redis_options.h -- settings for Redis and Valkey: logins, and how the locks are kept.
//
// For redis://, rediss://, redis+unix:// and redis+sentinel://. Other stores ignore them.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/language.h"

namespace holdfast {

// How locks are kept on Redis; docs/backends/redis.md has what each promises.
//
//   queue     fair queues, every primitive, waiters that are told. For clients of Holdfast
//   cell      one key for each name, with an owner and an expiry, as redis-py, redlock and many others have it. Mutexes only; waiters ask again
//   redisson  the layout of Redisson's RLock, for locks shared with its clients. Mutexes only
enum class RedisMode { queue, cell, redisson };

// "queue", and so on.
std::string_view to_string(RedisMode mode) noexcept;

// Most of these can be written into the URL as well; what the URL says counts more. A password in a URL is seen by those who see the
// program's arguments.
//
// Example:
//
//   holdfast::ClientOptions options{.redis = {.user = "locks", .password = secret}};
//   auto client = holdfast::Client::connect("redis://db1.example.com", options);
//
// Errors: an option that makes no sense is invalid_argument; a login that the server does not accept is refused.
struct RedisOptions {
  // Of Redis' ACL. Empty user, with a password: the default user. URL: redis://user:password@host
  std::string user{};
  std::string password{};
  // Of the Sentinels, if they want one; it is not that of the servers.
  std::string sentinel_user{};
  std::string sentinel_password{};
  // For mode queue: what the keys begin with. Clients with different prefixes do not know of each other. Empty: "holdfast". URL: ?prefix=billing
  std::string prefix{};
  // For the other modes: the key of a name, which stands for %s. Empty: "%s", the name itself. URL: ?key=lock:%s
  std::string key{};
  // URL: ?mode=queue, ?mode=cell, ?mode=redisson
  RedisMode mode = RedisMode::queue;

  bool operator==(const RedisOptions&) const = default;
};

}  // namespace holdfast
