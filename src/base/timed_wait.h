// timed_wait.h -- waits for a condition until a deadline on holdfast::Clock.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "holdfast/clock.h"

namespace holdfast::base {

// Returns the condition at the end. A condition variable waits on another clock, which stands still while the machine is suspended
// and overflows sooner, so this looks at Clock every now and then.
template <class Condition>
bool wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Clock::time_point deadline,
                Condition condition) {
  constexpr Clock::duration kLookAtLeastEvery = std::chrono::hours(1);
  while (!condition()) {
    const auto now = Clock::now();
    if (now >= deadline) return false;
    changed.wait_for(lock, std::min(deadline - now, kLookAtLeastEvery));
  }
  return true;
}

}  // namespace holdfast::base
