// signal.h -- an event that happens once, and for which threads wait.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/timed_wait.h"
#include "holdfast/clock.h"

namespace holdfast::base {

// Keep it in a shared_ptr if the waiting thread may destroy it.
class Signal {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }

  bool is_set() const {
    const std::lock_guard lock(mutex_);
    return set_;
  }

  void wait() { wait_until(Clock::time_point::max()); }

  // False if the deadline came first.
  bool wait_until(Clock::time_point deadline) {
    std::unique_lock guard(mutex_);
    return base::wait_until(changed_, guard, deadline, [this] { return set_; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

}  // namespace holdfast::base
