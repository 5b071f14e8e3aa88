// lockable.h -- acquire and release: what Mutex, NonReentrantMutex, SharedMutex and MultiLock have in common.
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

// One lock object on one name. There are two ways to hold it, which may be mixed; each way in has its own way out:
//
//   to acquire            waits                  if it does not get the lock    to release
//   lock()                as long as it takes    throws Error                   unlock(), release(), release_for/until()
//   try_lock_for/until()  until the deadline     false; throws Error otherwise  the same
//   try_lock()            not for a rival        the same                       the same
//   acquire()             as long as it takes    throws Error                   the Lease
//   try_acquire_for/until()  until the deadline  AcquireResult says why         the Lease
//   try_acquire()         not for a rival        the same                       the Lease
//
// lock() and its like fit std::scoped_lock and std::unique_lock, and belong to the thread that called them. A Lease can be passed on, has
// the fencing token, and says when it is lost: prefer it wherever a late write would do harm.
//
// Example:
//
//   std::unique_lock hold(mutex, 2s);  // try_lock_for(2s)
//   if (!hold) return;                 // a rival holds it
//
// Fairness: the service keeps an ordered queue. First come, first served, over all processes. Waiting costs no polling: the caller sleeps
// until the one ticket ahead of it is gone.
//
// Deadlines hold whatever the network does. The retry policy (ClientOptions::retry) can only end a call earlier, with not_connected.
//
// Failure leaves nothing behind: a call that ends without the lock leaves no ticket in the queue, also if a reply was lost.
//
// Round trips: an uncontended acquire one (two on the first use of a name); a contended one two, and then none until it is granted; a
// try_lock() of a busy lock one, which reads and writes nothing (unless its holder keeps tickets, see HandOver: then up to 100 ms); a hand-over
// between threads of one client none; a release none, as it is sent and not waited for.
//
// Thread safety: all members from any thread. Moving or destroying the object only while no other thread uses it. Destroying an object that
// is locked gives the lock back and logs an error. Leases outlive the object.
//
// An object that was moved from answers every call with invalid_argument, and one that came into this process by fork() with `forked`
// (client.h).
class Lockable {
 public:
  Lockable(Lockable&&) noexcept;
  Lockable& operator=(Lockable&&) noexcept;
  ~Lockable();

  // TimedLockable. False means that the deadline came first; for any other reason these throw Error, as acquire() does.
  //
  // A timeout of zero or less, or a deadline in the past, is a try_lock(): it may still take a round trip. Every duration and every time
  // point of every clock can be given: what is too far away to be counted is "for ever", NaN is zero.
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
  // Cannot fail, as std demands. After a loss it only forgets the hold; called by a thread that does not own the lock, it logs an error and
  // changes nothing.
  void unlock() noexcept;
  // unlock() that reports: not_owner (nothing was changed), session_lost (the hold was lost before, and is forgotten now).
  std::error_code release() noexcept;
  // As release(), and waits until the service has acknowledged it: from then on another client's try_lock() can succeed, which it often
  // cannot right after unlock(). Of a lock that was entered several times only the last release waits. timed_out: the release goes on in the
  // background.
  template <class Rep, class Period>
  std::error_code release_for(const std::chrono::duration<Rep, Period>& timeout) noexcept {
    return release_within(deadline_after(timeout));
  }
  template <class OtherClock, class Duration>
  std::error_code release_until(const std::chrono::time_point<OtherClock, Duration>& deadline) noexcept {
    return release_within(deadline_at(deadline));
  }

  // Waits as long as it takes, or until a stop is requested. Throws Error:
  //   cancelled       a stop was requested, or the client was closed
  //   not_connected   the retry policy has ended
  //   refused         the service says no: no permission, a quota, a counter at its end
  //   deadlock        it would wait for ever (DeadlockDetection)
  //   session_lost    a re-entry into a hold that was lost
  [[nodiscard]] Lease acquire(std::stop_token stop = {});
  // Does not wait for a rival: timed_out if one holds the lock. Waits for the service at most the client's connection timeout.
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
