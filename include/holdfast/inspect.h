// inspect.h -- what lies in the queues: holders and waiters, whichever library made their tickets.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/card.h"
#include "holdfast/fence.h"
#include "holdfast/language.h"

namespace holdfast {

enum class LockMode { exclusive, write, read, permit };

// Whether a hold of one kind keeps out a ticket of another: all do, but for readers among themselves. Permits are counted instead, and
// keep out no single ticket.
bool excludes(LockMode held, LockMode wanted) noexcept;

struct TicketInfo {
  std::string id;  // the node's name
  LockMode mode = LockMode::exclusive;
  // By the rules of our own locks; of a queue with mixed recipes, what ours would think.
  bool holds = false;
  std::string recipe;  // who makes such tickets: "Holdfast", "Curator", "go-zookeeper", "kazoo", "ZooKeeper recipe"
  // What it says about itself. Of a stranger's ticket only the address may be known, or nothing.
  Card card;
  bool readable = true;  // false: we may not read it, and know no more than its name
  bool revoked = false;  // a client has asked its holder to give it back, which overwrites the card
  Token token = 0;       // of the hold, or of the hold to come
  std::chrono::system_clock::time_point since;  // when the ticket was made, by the service's clock
  std::int64_t session = 0;            // 0: an orphan. No session keeps it, so it stays until an operator removes it
  std::optional<std::size_t> entries;  // how often it was entered; known of holds of the client that asks only
};

struct LockInfo {
  std::string name;
  std::string path;
  // In queue order. Of a semaphore: the permits, and then those who wait for their turn to ask for some.
  std::vector<TicketInfo> tickets;
  bool semaphore = false;
  bool mixed_recipes = false;    // several recipes that do not wait for each other: no holder is safe
  bool near_overflow = false;    // the counter of the queue is close to its end
  std::size_t orphans = 0;       // tickets that no session keeps
  std::int64_t next_sequence{};  // of the ticket that would be made next, where the service says so
};

}  // namespace holdfast
