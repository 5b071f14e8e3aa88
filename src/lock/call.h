// call.h -- one call of acquire: who asks, for what, and how long.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "holdfast/card.h"
#include "holdfast/clock.h"
#include "holdfast/lock_options.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::lock {

// Not std::thread::id, which the next thread gets when this one has ended: it would re-enter what is not its own.
using ThreadId = std::uint64_t;

inline ThreadId this_thread() {
  static std::atomic<ThreadId> last = 0;
  thread_local const ThreadId mine = ++last;
  return mine;
}

struct Call {
  // Not after the epoch: does not wait for others, and not longer than the connection timeout for the service.
  Clock::time_point deadline = Clock::time_point::max();
  std::stop_token stop{};
  LockOptions options{};
  ThreadId thread = this_thread();
  // The thread has to give it back itself (lock(), not a Lease), so no other thread can help it out of a deadlock.
  bool bound = false;
  // The thread has bound holds already. One that has none cannot close a cycle.
  bool holds_others = false;
  std::size_t permits = 1;
  spi::Mode mode = spi::Mode::exclusive;
  Card card{};

  bool patient() const { return deadline > Clock::time_point(); }
  // Nothing but a grant will end it.
  bool endless() const { return deadline == Clock::time_point::max() && !stop.stop_possible(); }
};

}  // namespace holdfast::lock
