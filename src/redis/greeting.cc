#include "redis/greeting.h"

namespace holdfast::redis {

std::optional<Greeting> greeting_of(const resp::Value& answer) {
  if (answer.type != resp::Value::Type::list || answer.items.size() % 2 != 0) return std::nullopt;
  Greeting greeting;
  for (std::size_t at = 0; at + 1 < answer.items.size(); at += 2) {
    const auto& name = answer.items[at].text;
    const auto& text = answer.items[at + 1].text;
    if (name == "server") greeting.server = text;
    if (name == "version") greeting.version = text;
    if (name == "mode") greeting.mode = text;
    if (name == "role") greeting.role = text;
  }
  if (greeting.version.empty()) return std::nullopt;
  return greeting;
}

std::optional<Refusal> refusal_of(const Greeting& greeting) {
  if (greeting.mode == "sentinel") {
    return Refusal{true, "it is a Sentinel; write redis+sentinel://host:port/name-of-the-master"};
  }
  if (greeting.mode == "cluster") {
    return Refusal{true,
                   "it is a node of a Redis Cluster, which cannot keep locks; use a server of its own "
                   "(cluster-enabled no), with Sentinels if it is to fail over"};
  }
  if (greeting.role == "active-replica") {
    return Refusal{true,
                   "it is a KeyDB that takes writes at several masters, so that two clients could get one lock; set "
                   "active-replica no and multi-master no"};
  }
  // Not for good: it may be made the master.
  if (greeting.role == "replica" || greeting.role == "slave") {
    return Refusal{false, "it is a replica, which cannot be written to; name its master, or use its Sentinels"};
  }
  return std::nullopt;
}

}  // namespace holdfast::redis
