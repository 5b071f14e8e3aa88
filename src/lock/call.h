// call.h -- one call of acquire: what it asks for, until when, and for which thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "holdfast/card.h"
#include "holdfast/clock.h"
#include "holdfast/lock_options.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::lock {

// Not std::thread::id: a later thread may get the id of one that has ended, and would re-enter a hold that is not its own.
using ThreadId = std::uint64_t;

inline ThreadId this_thread() {
  static std::atomic<ThreadId> last = 0;
  thread_local const ThreadId mine = ++last;
  return mine;
}

// What a handler writes into the card, in place of what the client says.
struct CardText {
  std::string purpose;
  std::string trace;
};

struct Call {
  // The epoch or earlier: the call does not wait for rivals, and waits for the service at most the connection timeout.
  Clock::time_point deadline = Clock::time_point::max();
  std::stop_token stop{};
  LockOptions options{};
  std::optional<HandOver> hand_over{};  // none: the client's
  ThreadId thread = this_thread();
  // Only this thread can give the hold back (lock(), not a Lease), so no other thread can resolve a deadlock for it.
  bool bound = false;
  // The thread has bound holds already. A thread that has none cannot close a circle.
  bool holds_others = false;
  std::size_t permits = 1;
  spi::Mode mode = spi::Mode::exclusive;
  std::shared_ptr<const CardText> card_text{};
  Card card{};

  bool patient() const { return deadline > Clock::time_point(); }
  // Nothing but a grant will end it.
  bool endless() const { return deadline == Clock::time_point::max() && !stop.stop_possible(); }
};

}  // namespace holdfast::lock
