// address.h -- where a Redis is, from a URL:
//
//   redis://[user[:password]@]host[:port],host[:port][/db][?...]        rediss:// by TLS
//   redis+unix://[user[:password]@]/path[?db=1&...]
//   redis+sentinel://[user[:password]@]host[:port],host/master[/db][?...]  rediss+sentinel:// by TLS, for the Sentinels too
//
// After the question mark: mode, prefix and key (redis_options.h). User, password and what follows the question mark may have %XX for any byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "holdfast/redis_options.h"
#include "net/server_address.h"

namespace holdfast::redis {

struct Address {
  net::ServerAddresses servers{};
  std::string master{};  // the servers are Sentinels, and this is the name by which they know it
  std::string user{};
  std::string password{};
  int database = 0;
  bool tls = false;
  // What the URL says of these.
  std::optional<RedisMode> mode{};
  std::optional<std::string> prefix{};
  std::optional<std::string> key{};
  std::string called{};  // in messages: "Redis at 10.0.0.1:6379"
};

// It is meant to be such an address, right or wrong.
bool is_address(std::string_view url);
// Or one sentence that says what is wrong and what would be right. It does not show the password.
tl::expected<Address, std::string> parse_address(std::string_view url);
// The URL with *** for its password: for people, and for logs.
std::string without_password(std::string_view url);

}  // namespace holdfast::redis
