// lockable.h -- what every exclusive lock of ours can do. Use it through Mutex or NonReentrantMutex.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>

#include "holdfast/acquire_result.h"
#include "holdfast/clock.h"
#include "holdfast/language.h"
#include "holdfast/lease.h"

namespace holdfast {

namespace lock {
class Owner;
}

// Two ways to hold, which may be mixed; each way in has its way out:
//
//   in                                              out
//   lock(), try_lock(), try_lock_for/until()        unlock(); or release(), which reports; or release_for/until(), which waits
//   acquire(), try_acquire(), try_acquire_for/until()   the Lease
//
// Waiting costs no polling: the caller sleeps until the one ticket ahead of it is gone. Round trips: an uncontended
// acquire is one, a release none (it is sent and not waited for), a busy try_lock() one read and no write.
//
// Thread safety: all members from any thread, but not against moving or destroying the object. Destroying an object
// that is locked gives the lock back and logs an error; Leases outlive the object. One that was moved from answers every call with
// invalid_argument, and one that came into this process by fork() with `forked` (client.h).
class Lockable {
 public:
  Lockable(Lockable&&) noexcept;
  Lockable& operator=(Lockable&&) noexcept;
  ~Lockable();

  // TimedLockable. These throw Error where AcquireResult would say anything other than "busy" or "timed out". A timeout of zero
  // or less, or a deadline in the past, is a try_lock(): it may still take a round trip. Every duration and every moment of every
  // clock can be given: what is too far away to be counted is "for ever", NaN is zero.
  void lock();
  bool try_lock() { return lock_within(kDoNotWait); }
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout) {
    return lock_within(deadline_after(timeout));
  }
  template <class OtherClock, class Duration>
  bool try_lock_until(const std::chrono::time_point<OtherClock, Duration>& deadline) {
    return lock_within(deadline_at(deadline));
  }
  // As std demands, it cannot fail: after loss it only forgets the hold; by a thread that does not own it logs an
  // error and changes nothing.
  void unlock() noexcept;
  // unlock() that reports: not_owner (nothing changes) or session_lost (the hold was gone before; it is forgotten).
  std::error_code release() noexcept;
  // release(), and waits until the service has acknowledged it: from then on another client's try_lock() can succeed, which it often
  // cannot right after unlock(). Of a lock that was entered several times only the last one waits. timed_out: the release goes on in
  // the background.
  template <class Rep, class Period>
  std::error_code release_for(const std::chrono::duration<Rep, Period>& timeout) noexcept {
    return release_within(deadline_after(timeout));
  }
  template <class OtherClock, class Duration>
  std::error_code release_until(const std::chrono::time_point<OtherClock, Duration>& deadline) noexcept {
    return release_within(deadline_at(deadline));
  }

  // Waits as long as it takes. Throws Error: cancelled, session_lost (a re-entry into a hold that was lost),
  // not_connected (the retry policy ended), refused, deadlock.
  [[nodiscard]] Lease acquire(std::stop_token stop = {});
  // Does not wait for others: timed_out if a rival holds it. Not longer than the client's connection timeout.
  AcquireResult try_acquire() { return acquire_within(kDoNotWait, {}); }
  template <class Rep, class Period>
  AcquireResult try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, std::stop_token stop = {}) {
    return acquire_within(deadline_after(timeout), std::move(stop));
  }
  template <class OtherClock, class Duration>
  AcquireResult try_acquire_until(const std::chrono::time_point<OtherClock, Duration>& deadline,
                                  std::stop_token stop = {}) {
    return acquire_within(deadline_at(deadline), std::move(stop));
  }

  // Where the queue is on the service, such as "/app/orders/123".
  const std::string& path() const noexcept;

 protected:
  explicit Lockable(std::shared_ptr<lock::Owner> owner) noexcept;

  std::shared_ptr<lock::Owner> owner_;

 private:
  friend class SharedMutex;
  static constexpr Clock::time_point kDoNotWait{};

  bool lock_within(Clock::time_point deadline);
  std::error_code release_within(Clock::time_point deadline) noexcept;
  AcquireResult acquire_within(Clock::time_point deadline, std::stop_token stop);
};

}  // namespace holdfast
