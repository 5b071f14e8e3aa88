// admission.h -- a lock is a queue plus this rule. It is the only place that decides which tickets may hold.
//
//   keeps_out()    whether a ticket waits for an earlier one
//   admit()        whether a ticket of ours may hold now and, if not, which ticket to listen to
//   would_admit()  whether a new ticket could hold immediately
//   holders()      which tickets of a queue hold
//
// All of them are pure.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "holdfast/spi/queue_backend.h"

namespace holdfast::lock {

// What a ticket needs in order to hold:
//   exclusive, write   to be first
//   shared             that no exclusive ticket and no writer is before it
//   permit             that the queue has no more tickets than there are permits
struct Rule {
  spi::Mode mode = spi::Mode::exclusive;
  std::size_t permits = 0;
};

struct Admission {
  enum class Answer { admitted, wait, absent } answer = Answer::absent;
  std::size_t ahead = 0;      // tickets before mine; for permits, how many tickets are too many
  std::size_t listen_to = 0;  // with `wait`: index of the one ticket whose end can admit mine; not for permits
  // With `wait`: the end of that ticket admits mine. Nothing else is in the way, and nothing can take its place.
  bool last_obstacle = false;
};

// Whether a ticket of `mode` waits for a ticket of `earlier` that is before it. All do, except readers among themselves. Not for
// permits, which are counted.
constexpr bool keeps_out(spi::Mode earlier, spi::Mode mode) {
  return earlier != spi::Mode::none && !(mode == spi::Mode::shared && earlier == spi::Mode::shared);
}

// `queue` is in order, `mine` is the id of the ticket that asks.
Admission admit(std::span<const spi::Ticket> queue, std::string_view mine, Rule rule);

// Whether that many tickets would be admitted immediately if they were added to the end of the queue now.
bool would_admit(std::span<const spi::Ticket> queue, Rule rule, std::size_t tickets = 1);

// For each ticket whether it holds. A permit always does here: the queue does not know how many permits there are.
std::vector<bool> holders(std::span<const spi::Ticket> queue);

}  // namespace holdfast::lock
