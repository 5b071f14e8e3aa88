// shared_mutex.h -- many readers or one writer, across threads, processes and machines.
#pragma once

#include "holdfast/language.h"
#include "holdfast/lockable.h"

namespace holdfast {

class Client;

// SharedTimedLockable: std::unique_lock takes it to write, std::shared_lock to read. Fair: who asks first is served first, so
// a writer waits for the readers before it only, and readers that come after a waiting writer wait for it. Speaks Curator's
// InterProcessReadWriteLock.
//
// Both sides are re-entrant for the thread that holds them, as in Mutex. Going from one side to the other:
//
//   this thread holds     and asks for     gets
//   to write              to read          in at once. When it then stops writing it goes on reading, and no writer that waits
//                                          gets in between (downgrade)
//   to read               to write         deadlock: it would wait for itself
//
// The exclusive side is what Lockable says: lock(), acquire() and so on. Threads of one client that read share a ticket,
// within the bounds of ClientOptions::hand_over.
//
// Thread safety: as Lockable.
class SharedMutex : public Lockable {
 public:
  void lock_shared() { reading_.lock(); }
  bool try_lock_shared() { return reading_.try_lock(); }
  template <class Rep, class Period>
  bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& timeout) {
    return reading_.try_lock_for(timeout);
  }
  template <class OtherClock, class Duration>
  bool try_lock_shared_until(const std::chrono::time_point<OtherClock, Duration>& deadline) {
    return reading_.try_lock_until(deadline);
  }
  void unlock_shared() noexcept { reading_.unlock(); }
  // unlock_shared() that reports.
  std::error_code release_shared() noexcept { return reading_.release(); }
  // Likewise, and waits until the service has acknowledged it.
  template <class Rep, class Period>
  std::error_code release_shared_for(const std::chrono::duration<Rep, Period>& timeout) noexcept {
    return reading_.release_for(timeout);
  }
  template <class OtherClock, class Duration>
  std::error_code release_shared_until(const std::chrono::time_point<OtherClock, Duration>& deadline) noexcept {
    return reading_.release_until(deadline);
  }

  [[nodiscard]] Lease acquire_shared(std::stop_token stop = {}) { return reading_.acquire(std::move(stop)); }
  AcquireResult try_acquire_shared() { return reading_.try_acquire(); }
  template <class Rep, class Period>
  AcquireResult try_acquire_shared_for(const std::chrono::duration<Rep, Period>& timeout, std::stop_token stop = {}) {
    return reading_.try_acquire_for(timeout, std::move(stop));
  }
  template <class OtherClock, class Duration>
  AcquireResult try_acquire_shared_until(const std::chrono::time_point<OtherClock, Duration>& deadline,
                                         std::stop_token stop = {}) {
    return reading_.try_acquire_until(deadline, std::move(stop));
  }

  // True between this thread's acquire and its last release, unless the hold was lost.
  bool is_held_by_this_thread() const noexcept;
  bool is_shared_by_this_thread() const noexcept;

 private:
  friend class Client;
  // The other side has the same shape.
  struct Reading : Lockable {
    using Lockable::Lockable;
    bool is_held_by_this_thread() const noexcept;
  };

  SharedMutex(std::shared_ptr<lock::Owner> writing, std::shared_ptr<lock::Owner> reading) noexcept
      : Lockable(std::move(writing)), reading_(std::move(reading)) {}

  Reading reading_;
};

}  // namespace holdfast
