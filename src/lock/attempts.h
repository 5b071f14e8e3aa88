// attempts.h -- attempts to reach the service that have failed in a row, and whether the retry policy wants another one.
#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>

#include "base/log.h"
#include "holdfast/clock.h"
#include "holdfast/retry.h"

namespace holdfast::lock {

class Attempts {
 public:
  // When an attempt that begins now counts as failed: after `longest`, or when the policy's time is over.
  Clock::time_point end_of_next(const RetryPolicy& policy, Clock::duration longest, Clock::time_point now) {
    if (!since_) since_ = now;
    const auto most = policy.max_elapsed();
    return most ? std::clamp<Clock::time_point>(*since_ + *most, now, now + longest) : now + longest;
  }

  // One more attempt has failed. Returns how long to wait before the next one, or nothing to give up.
  std::optional<RetryPolicy::Duration> fail(const RetryPolicy& policy, Clock::time_point now) {
    ++count_;
    if (!since_) since_ = now;
    // A user's rule that throws must not end the process from a thread of the library.
    try {
      return policy.next(count_, elapsed(now));
    } catch (const std::exception& error) {
      base::log().error("a retry policy threw ({}); giving up", error.what());
      return std::nullopt;
    }
  }

  unsigned count() const { return count_; }
  // Since the first failed attempt began.
  RetryPolicy::Duration elapsed(Clock::time_point now) const {
    return since_ ? std::chrono::duration_cast<RetryPolicy::Duration>(now - *since_) : RetryPolicy::Duration::zero();
  }

 private:
  unsigned count_ = 0;
  std::optional<Clock::time_point> since_;
};

}  // namespace holdfast::lock
