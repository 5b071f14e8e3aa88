// greeting.h -- what a server says of itself in its answer to HELLO, and whether locks can be kept there.
#pragma once

#include <optional>
#include <string>

#include "redis/refusal.h"
#include "resp/value.h"

namespace holdfast::redis {

struct Greeting {
  std::string server{};   // "redis", "valkey"
  std::string version{};  // "7.0.15"
  std::string mode{};     // "standalone", "cluster", "sentinel"
  std::string role{};     // "master", "replica"; "active-replica" of KeyDB
};

// None: it is not an answer to HELLO.
std::optional<Greeting> greeting_of(const resp::Value& answer);

// None: locks can be kept there.
std::optional<Refusal> refusal_of(const Greeting& greeting);

}  // namespace holdfast::redis
