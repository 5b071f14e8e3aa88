// lease.h -- the proof that a lock is held.
//
// acquire() returns a Lease. It says whether, and until when, the lock is provably held; it carries the fencing token; and it gives the
// hold back when it is destroyed.
//
// Example:
//
//   holdfast::Lease lease = mutex.acquire();
//   if (!lease.is_held()) return;               // lost, for instance while this process was paused
//   store.write("order 123", lease.token());    // the store refuses a token that is smaller than one it has seen
//
// States, and what a call does in each:
//
//   state      release()      the validity ends   ~Lease()
//   held       -> released    -> lost             as release()
//   lost       session_lost   -                   no effect
//   released   no effect      -                   no effect
//   empty      no effect      -                   no effect      (default-constructed, or moved from)
//
// Loss. A hold is lost when its session cannot be proven to live (the network is cut, the service is down, this process was paused),
// when an operator or another client removes the ticket, when LockOptions::max_hold is over, and by Client::close(). The service is never
// needed for that: the client's own timer ends the hold before the service can grant the name to a rival. What was lost stays lost.
//
// Ownership: one owner, which may move it, also to another thread. It outlives the lock object and the Client that it came from. In a
// child of fork() it is not held, has no token and is lost, and release() is `forked`; the parent keeps its hold.
//
// Thread safety: all const members from any thread. release() and release_for/until() from one thread at a time, which need not be the one
// that acquired. Moving and destroying it only while no other thread uses it.
//
// Round trips: none, but for the first revoked() (one request, not waited for) and release_for/until() (one).
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <system_error>

#include "holdfast/clock.h"
#include "holdfast/fence.h"
#include "holdfast/language.h"

namespace holdfast {

namespace lock {
class Entry;
}

class Lease {
 public:
  Lease() noexcept;
  Lease(Lease&&) noexcept;
  Lease& operator=(Lease&&) noexcept;  // releases what it held before
  ~Lease();

  // The fencing token: larger than that of every ticket that was granted this name before. Send it with each write, so that the resource
  // can refuse a holder that was paused past the end of its session (fence.h). 0 if the lease is empty.
  Token token() const noexcept;

  // A token on which a stop is requested when the hold is lost. It is never withdrawn.
  //
  // This process's own timer does that. It is due a fortieth of the session timeout (at most 500 ms) before valid_until(): a process that
  // gets the processor within that time learns of its loss before a rival can be granted the name. A process that does not (starved, or
  // stopped) should ask is_held() before it goes on: that is always right.
  //
  // Callbacks registered on it run on a thread of the client that does nothing else. One that blocks delays those of other leases.
  std::stop_token lost() const noexcept;

  // A token on which a stop is requested when another client asks for the name back, by Client::revoke() or Curator's Revoker. That is
  // only a request: the hold goes on until release(). Callbacks run on the same thread as those of lost().
  //
  // The first call starts to listen, with one request; without it the holder is not told. A holder that listens also learns immediately,
  // instead of with its next heartbeat, that its ticket was removed.
  std::stop_token revoked() const;

  // Until this moment no other client can be granted the name, whatever happens to the network. It moves on with every heartbeat that the
  // service acknowledges, and stands still while the service does not (jeopardy). After the end of the hold: when that was.
  Clock::time_point valid_until() const noexcept;

  // Held, and valid by the clock right now. The answer to "may I go on?" after a long pause, when the thread that fires lost() may not have
  // run yet.
  bool is_held() const noexcept;

  // The path of the ticket on the service, for a transaction of your own that checks it. Of a MultiLock, the ticket of its first name. Empty
  // if the lease is empty.
  std::string ticket() const;

  // Gives the hold back without waiting for the service: the request is sent, and sent again after a lost connection, until it is
  // acknowledged or the session is dead. Never blocks. session_lost: the hold was lost before.
  std::error_code release() noexcept;

  // As release(), and waits until the service has acknowledged it: from then on another client's try_lock() can succeed. timed_out: the
  // release goes on in the background.
  template <class Rep, class Period>
  std::error_code release_for(const std::chrono::duration<Rep, Period>& timeout) noexcept {
    return release_within(deadline_after(timeout));
  }
  template <class OtherClock, class Duration>
  std::error_code release_until(const std::chrono::time_point<OtherClock, Duration>& deadline) noexcept {
    return release_within(deadline_at(deadline));
  }

 private:
  friend class Lockable;
  friend class Semaphore;
  friend class Client;
  explicit Lease(std::shared_ptr<lock::Entry> entry) noexcept;
  std::error_code release_within(Clock::time_point deadline) noexcept;

  std::shared_ptr<lock::Entry> entry_;
};

}  // namespace holdfast
