// admission.h -- a lock is a queue plus this rule. Nothing else in the product decides who may hold; it asks here.
//
//   keeps_out()    of two tickets: whether the later one waits for the earlier
//   admit()        a ticket of ours in a queue: may it hold now, and if not, which ticket is it to listen to
//   would_admit()  a ticket that is not in the queue yet: could it hold at once
//   holders()      a queue, seen from outside: which of its tickets hold
//
// All of them are pure.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

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

// A ticket that asks for `mode` waits for one of `earlier` that stands before it: all do, but for readers among themselves. Not for
// permits, which are counted.
constexpr bool keeps_out(spi::Mode earlier, spi::Mode mode) {
  return earlier != spi::Mode::none && !(mode == spi::Mode::shared && earlier == spi::Mode::shared);
}

// `queue` is in order, `mine` is the id of the ticket that asks.
Admission admit(std::span<const spi::Ticket> queue, std::string_view mine, Rule rule);

// So many tickets that came to the end of the queue now would be admitted at once.
bool would_admit(std::span<const spi::Ticket> queue, Rule rule, std::size_t tickets = 1);

// For each ticket whether it holds. A permit does, as far as the queue tells: it does not know how many there may be.
std::vector<bool> holders(std::span<const spi::Ticket> queue);

}  // namespace holdfast::lock
