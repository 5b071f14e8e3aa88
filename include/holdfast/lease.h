// lease.h -- the proof that a lock is held.
//
// A Lease is held until release(), destruction or loss.
//
//              release()             validity ends    ~Lease()
//   held       -> released           -> lost          release()
//   lost       session_lost          -                nothing
//   released   nothing               -                nothing
//   empty      nothing               -                nothing        (default made or moved from)
//
// Thread safety: token(), lost(), is_held() and valid_until() from any thread; release() from one thread at a time,
// which need not be the one that acquired.
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
  Lease& operator=(Lease&&) noexcept;  // releases what was held before
  ~Lease();

  // Grows with every ticket that is granted this name. Send it with each write, so that the resource can
  // refuse a holder that was paused past the end of its session.
  Token token() const noexcept;

  // Requested once the hold can no longer be proven, by this process's own timer, which is due a fortieth of the session timeout,
  // at most 500 ms, before valid_until(): so at valid_until() at the latest, and before another client can be granted, if a thread of
  // this process gets the processor within that time. (One that does not, starved or stopped, asks is_held(), which is always right.)
  // With LockOptions::max_hold: when that is over; and at once after Client::close(). Never withdrawn. Callbacks registered on it run
  // on a thread of the client that does nothing else; one that blocks delays the callbacks of other leases.
  std::stop_token lost() const noexcept;

  // Requested when a client asks for the name back, by Client::revoke() or Curator's Revoker. It is a request: the hold goes
  // on until release(). The first call starts to listen, one request; without it the holder is not told. Callbacks run as those of
  // lost() do. A lease that listens also learns at once, not with the next heartbeat, that its ticket was removed.
  std::stop_token revoked() const;

  // Until this moment no other client can be granted the name, whatever happens to the network. Moves on with
  // every heartbeat that the service acknowledges; stands still while it does not (jeopardy).
  Clock::time_point valid_until() const noexcept;

  // Held, and valid by the clock right now. The answer to "may I still?" right after a long pause, when lost()
  // may not have had its turn on the processor yet.
  bool is_held() const noexcept;

  // The ticket's path on the service, for transactions that check it. Empty if there is none.
  std::string ticket() const;

  // Gives the hold back without waiting for the service: the request is sent, and sent again after a lost
  // connection, until it is acknowledged or the session is dead. session_lost if the hold was lost before.
  std::error_code release() noexcept;

  // release(), and waits until the service has acknowledged it: from then on another client's try_lock() can succeed. timed_out: the
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
