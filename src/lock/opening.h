// opening.h -- what a thread that opens a client waits for.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "base/timed_wait.h"
#include "holdfast/clock.h"

namespace holdfast::lock {

// Its outcome is set inside the Executor, and waited for outside of it.
class Opening {
 public:
  enum class State { waiting, open, no_service };

  // There is a session. Final.
  void succeed() { tell(State::open, nullptr); }
  // There will never be a session. Final.
  void fail(std::exception_ptr why) { tell(State::open, std::move(why)); }
  // This attempt has failed, and another one may succeed. Ends one wait.
  void no_service() { tell(State::no_service, nullptr); }

  // `waiting` if the deadline came first. Throws what fail() was given.
  State wait_until(Clock::time_point deadline) {
    std::unique_lock guard(mutex_);
    base::wait_until(changed_, guard, deadline, [this] { return state_ != State::waiting; });
    if (failure_) std::rethrow_exception(failure_);
    return state_ == State::open ? State::open : std::exchange(state_, State::waiting);
  }

 private:
  void tell(State state, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (state_ == State::open) return;
    state_ = state;
    failure_ = std::move(failure);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::waiting;
  std::exception_ptr failure_;
};

}  // namespace holdfast::lock
