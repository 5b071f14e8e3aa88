// inspect.h -- who holds and who waits, whichever library made the tickets. What Client::inspect() and inspect_all() return.
//
// Example:
//
//   for (const auto& ticket : client.inspect("orders/123").tickets) {
//     std::cout << (ticket.holds ? "holds " : "waits ") << ticket.card.to_string() << "\n";
//   }
//
// Tickets of Curator, go-zookeeper, kazoo and ZooKeeper's own recipe are shown as theirs. It is a picture of one moment or two: the queue is
// listed first, and its tickets are read after that.
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

// How a ticket wants the lock: as a Mutex, as a SharedMutex to write or to read, as a Semaphore.
enum class LockMode { exclusive, write, read, permit };

// Whether a hold of one mode keeps out a ticket of another. All do, except readers among themselves. Permits are counted instead, and keep
// out no single ticket.
bool excludes(LockMode held, LockMode wanted) noexcept;

// One ticket: a holder, or a waiter.
struct TicketInfo {
  std::string id;  // the name of its node
  LockMode mode = LockMode::exclusive;
  // By the rules of Holdfast's locks. In a queue with mixed recipes other libraries may see it differently.
  bool holds = false;
  // It holds by its place, but its client uses the name again and again, and may only be keeping the ticket from one use to the next
  // (HandOver::keep). Of the client that asks it is known: false while one of its threads holds.
  bool kept = false;
  std::string
      recipe;  // which library makes such tickets: "Holdfast", "Curator", "go-zookeeper", "kazoo", "ZooKeeper recipe"
  // What the ticket says about its owner. Of another library's ticket only the address may be known, or nothing.
  Card card;
  bool readable = true;  // false: this client has no permission to read it, and knows no more than its name
  bool revoked = false;  // a client has asked its holder to give it back (Client::revoke())
  Token token = 0;       // of the hold, or of the hold to come
  std::chrono::system_clock::time_point since;  // when the ticket was made, by the service's clock
  std::int64_t session = 0;            // 0: an orphan. No session keeps it, so it stays until an operator removes it
  std::optional<std::size_t> entries;  // how often it was entered; known only of holds of the client that asks
};

// One name, with its queue.
struct LockInfo {
  std::string name;  // as given to Client::mutex(), without the name space
  std::string path;  // on the service
  // In queue order. Of a semaphore: its permits, then the clients that wait for their turn to ask for some.
  std::vector<TicketInfo> tickets;
  bool semaphore = false;
  // Trouble for an operator:
  bool mixed_recipes = false;    // tickets of libraries that do not wait for each other: no holder is safe
  bool near_overflow = false;    // the counter of the queue is close to its end, after which acquires are refused
  std::size_t orphans = 0;       // tickets that no session keeps
  std::int64_t next_sequence{};  // of the ticket that would be made next; 0 where the service does not say
};

}  // namespace holdfast
