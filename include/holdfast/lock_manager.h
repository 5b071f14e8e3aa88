// lock_manager.h -- locks by name, for programs that are used to a lock framework: a manager, a lock, tryLock(wait), unlock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>

#include "holdfast/clock.h"
#include "holdfast/language.h"
#include "holdfast/lock_remote_resource.h"

namespace holdfast {

class Client;
class LockManager;

// One user's lock of a name, with a value of its own: two ManagedLocks of one name exclude each other, also in one thread. It belongs to no
// thread: any may unlock it. TimedLockable, so std::unique_lock takes it.
//
//   state      try_lock_for() and its like   unlock(), release()     destroyed
//   free       -> held, or false             not_owner, no effect    nothing
//   held       waits, false                  -> free                 released, and an error is logged
//   lost       as free                       session_lost, -> free   nothing
//
// Thread safety: all members from any thread. Moving and destroying it only while no other thread uses it. It may outlive its manager, not
// the client.
class ManagedLock {
 public:
  ManagedLock(ManagedLock&&) noexcept;
  ManagedLock& operator=(ManagedLock&&) noexcept;
  ~ManagedLock();

  // Why not, if not. Throws Error(invalid_argument) only if it was moved from.
  template <class Rep, class Period>
  LockRemoteResource::Result try_acquire(const std::chrono::duration<Rep, Period>& wait, std::stop_token stop = {}) {
    return acquire_until(deadline_after(wait), std::move(stop));
  }

  // False: the wait is over. Throws Error for any other failure, or what a handler threw.
  void lock();
  bool try_lock() { return lock_until(Clock::time_point()); }
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& wait) {
    return lock_until(deadline_after(wait));
  }
  template <class OtherClock, class Duration>
  bool try_lock_until(const std::chrono::time_point<OtherClock, Duration>& deadline) {
    return lock_until(deadline_at(deadline));
  }
  // Of a lock that is not held it logs an error and changes nothing.
  void unlock() noexcept;
  // unlock() that reports: not_owner, session_lost.
  std::error_code release() noexcept;

  bool is_held() const;
  const std::string& name() const noexcept { return name_; }
  const std::string& value() const noexcept { return value_; }

 private:
  friend class LockManager;
  struct Shared;
  ManagedLock(std::shared_ptr<Shared> shared, std::string name, std::string value);

  LockRemoteResource::Result acquire_until(Clock::time_point deadline, std::stop_token stop);
  bool lock_until(Clock::time_point deadline);

  std::shared_ptr<Shared> shared_;  // none if it was moved from
  std::string name_;
  std::string value_;
};

// Hands out locks by name, and counts what they do.
//
// Example:
//
//   holdfast::LockManager manager(client);
//   holdfast::ManagedLock order = manager.lock("orders/1");
//   if (order.try_lock_for(2s)) {
//     order.unlock();
//   }
//
// Local threads stand in line before the remote lock, and share one place in its queue (HandOver, client.h): what frameworks call the local
// hot lock, without a switch, and without a table that could change between acquire and release. The handlers of the client are the chain.
//
// Ownership: the client must live longer than the manager and its locks.
//
// Thread safety: all members from any thread.
class LockManager {
 public:
  struct Counts {
    std::uint64_t acquired = 0;
    std::uint64_t timed_out = 0;
    std::uint64_t failed = 0;    // for any other reason
    std::uint64_t released = 0;  // while they were held
    std::uint64_t lost = 0;      // found lost when they were released
    std::size_t waiting = 0;     // calls under way
    std::size_t held = 0;
    std::size_t cached = 0;  // lock objects, in use or kept
  };

  // `most`: names in use and kept (LockRemoteResource).
  explicit LockManager(Client& client, std::size_t most = LockRemoteResource::kMost);

  // Costs no request. A name that makes no sense fails when it is acquired.
  ManagedLock lock(std::string_view name);

  Counts counts() const;
  LockRemoteResource& resource() noexcept;

 private:
  std::shared_ptr<ManagedLock::Shared> shared_;
};

}  // namespace holdfast
