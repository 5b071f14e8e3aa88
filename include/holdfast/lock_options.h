// lock_options.h -- how long the holds of one lock object last, what for, and how often a client's threads pass them on.
#pragma once

#include <chrono>
#include <string>

#include "holdfast/language.h"

namespace holdfast {

// For Client::mutex() and its like. All are off by default; a year is the most. A value that makes no sense (negative, min_hold longer than
// max_hold) is refused with invalid_argument when the lock is made.
//
// Example:
//
//   using namespace std::chrono_literals;
//   auto nightly = client.mutex("jobs/nightly", {.min_hold = 1min, .max_hold = 2h});
struct LockOptions {
  // No other client gets the name sooner than this after this one did, however soon it releases. For a job that many machines start at the
  // same time and that takes only a moment: one of them runs it. (ShedLock's lockAtLeastFor.) The name is free earlier if this client is
  // closed or killed, or loses its session.
  std::chrono::milliseconds min_hold{0};
  // The hold ends by itself after this long, counted from its first entry: lost() fires, and the name goes to the next waiter.
  std::chrono::milliseconds max_hold{0};
  // When a holder ends without releasing (killed, cut off, paused too long), its successor waits this much longer, from when its turn came:
  // time for the dead holder's last writes to arrive. Both must have asked for it, so it does not work with holders of other libraries. Two
  // more round trips per acquire. Not for MultiLock and Semaphore.
  std::chrono::milliseconds lock_delay{0};
  // What the hold is for, instead of ClientOptions::purpose: shown to a client or operator that asks for the holder. Threads that share a
  // ticket show that of the one which asked first.
  std::string purpose{};
};

// How long the threads of one client may hand a name over among themselves, at no request, while other processes wait for it. After `count`
// hand-overs or `time`, whichever comes first, the ticket goes back to the queue. A count of 0 gives every hold a ticket of its own.
//
// With a `keep`, of 100 ms for instance, a ticket that no thread needs is kept for that time if this client uses the name again and again: the next acquire then costs no request and has
// the same token, as after a hand-over. When a rival's ticket appears, a kept ticket is given back immediately, and one in use with its release,
// so a rival waits for one hand-over more at most. But rivals of a client that is killed while it keeps a ticket wait for the end of its
// session, as if it had held the lock. Never kept: after the first use, a revocation, a release_for(), with a lock_delay, in an outage, in the
// modes `cell` and `redisson` of Redis, of a Semaphore or MultiLock. A `keep` of 0 keeps none.
struct HandOver {
  unsigned count = 64;
  std::chrono::milliseconds time{100};
  std::chrono::milliseconds keep{0};

  friend bool operator==(const HandOver&, const HandOver&) = default;
};

}  // namespace holdfast
