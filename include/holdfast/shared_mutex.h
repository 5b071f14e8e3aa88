// shared_mutex.h -- many readers or one writer, across threads, processes and machines.
#pragma once

#include "holdfast/language.h"
#include "holdfast/lockable.h"

namespace holdfast {

class Client;

// Made by Client::shared_mutex(). SharedTimedLockable: std::unique_lock takes it to write, std::shared_lock to read. It uses the nodes of
// Curator's InterProcessReadWriteLock, and shares its queues.
//
// Example:
//
//   holdfast::SharedMutex catalogue = client.shared_mutex("catalogue");
//   std::shared_lock reading(catalogue);
//
// Fair: first come, first served. A writer waits only for the readers and writers before it; a reader that comes after a waiting writer
// waits for it, so writers do not starve.
//
//   this thread holds it   it may read when              it may write when
//   not                    no writer is before it        it is first
//   to read                immediately                   never: Errc::deadlock, as it would wait for itself. Release first
//   to write               immediately                   immediately
//
// A thread that writes, asks to read and then stops writing goes on reading, and no waiting writer gets in between (downgrade). Both sides
// are re-entrant for the thread that holds them, as a Mutex is.
//
// The exclusive side is Lockable: lock(), acquire() and so on. The shared side below is the same with `shared` in its names: same
// deadlines, errors and round trips (a downgrade is one). Threads of one client that read share a ticket, within the bounds of
// ClientOptions::hand_over, and then have the same token.
//
// Thread safety: as Lockable.
class SharedMutex : public Lockable {
 public:
  // As the members of Lockable without `shared`, but to read.
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
  // unlock_shared() that reports: not_owner or session_lost.
  std::error_code release_shared() noexcept { return reading_.release(); }
  // As release_shared(), and waits until the service has acknowledged it.
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

  // True between this thread's acquire and its last release, unless the hold was lost: to write, to read.
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
