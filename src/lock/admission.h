// admission.h -- a lock is a queue plus this rule.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "holdfast/spi/queue_backend.h"

namespace holdfast::lock {

// What a ticket asks for:
//   exclusive, write   I am first
//   shared             none that is exclusive or a writer is before me
//   permit             there are no more in the queue than there are permits
struct Rule {
  spi::Mode mode = spi::Mode::exclusive;
  std::size_t permits = 0;
};

struct Admission {
  enum class Answer { admitted, wait, absent } answer = Answer::absent;
  std::size_t ahead = 0;      // tickets before mine; of permits, those that are too many
  std::size_t listen_to = 0;  // with `wait`: index of the one ticket whose going can admit me; not for permits
  // With `wait`: the going of that ticket alone admits me, nothing else stands in the way, and nothing can come in its place.
  bool last_obstacle = false;
};

// Pure. `queue` is in order, `mine` is the id of the ticket that asks.
Admission admit(std::span<const spi::Ticket> queue, std::string_view mine, Rule rule);

// ZooKeeper's sequence is a signed 32-bit counter that sticks or goes negative at its end, and then two clients can both
// believe to be first. Tickets this close to the end are given back instead; the rest of the range leaves room for those
// that other clients still make. (The counter starts anew when the empty queue is removed.)
inline constexpr std::int64_t kLastSequence = 2'147'000'000;
constexpr bool near_overflow(std::int64_t sequence) { return sequence < 0 || sequence > kLastSequence; }

}  // namespace holdfast::lock
