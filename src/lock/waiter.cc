#include "lock/waiter.h"

#include "base/timed_wait.h"

namespace holdfast::lock {

Outcome Waiter::wait(Clock::time_point deadline, const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { fail({Errc::cancelled, "the caller asked to stop"}); });
  std::unique_lock lock(mutex_);
  if (!base::wait_until(settled_, lock, deadline, [this] { return outcome_.has_value(); })) {
    outcome_.emplace(tl::unexpect, Refusal{Errc::timed_out, "timed out"});
  }
  return *outcome_;
}

bool Waiter::settled() {
  const std::lock_guard lock(mutex_);
  return outcome_.has_value();
}

bool Waiter::settled_by(Clock::time_point time) {
  std::unique_lock lock(mutex_);
  return base::wait_until(settled_, lock, time, [this] { return outcome_.has_value(); });
}

bool Waiter::settle(Outcome outcome) {
  const std::lock_guard lock(mutex_);
  if (outcome_) return false;
  outcome_.emplace(std::move(outcome));
  // Under the lock: the caller may destroy this object as soon as it can see the outcome.
  settled_.notify_one();
  return true;
}

}  // namespace holdfast::lock
