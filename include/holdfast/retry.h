// retry.h -- how often, and how fast, a call tries again when the service cannot be reached.
//
// Curator's policies, by Curator's names. A policy never outlives a call: every call ends at its own deadline, whatever
// the policy would still allow. When the policy ends first, the call fails with Errc::not_connected.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "holdfast/language.h"

namespace holdfast {

class RetryPolicy {
 public:
  using Duration = std::chrono::milliseconds;

  // Waits base * random(1, 2^(retry+1)), at most `max_delay`, and gives up after `max_retries`.
  static RetryPolicy exponential_backoff(Duration base, unsigned max_retries, Duration max_delay = Duration(30'000));
  static RetryPolicy forever(Duration interval);
  static RetryPolicy n_times(unsigned n, Duration between);
  static RetryPolicy once(Duration delay);
  static RetryPolicy until_elapsed(Duration max_elapsed, Duration between);

  // For policies of your own: (failures so far, >= 1; time since the first failure) -> delay, or nothing to give up.
  // Called with internal locks held: compute, do not block. One that throws gives up.
  using Rule = std::function<std::optional<Duration>(unsigned failures, Duration elapsed)>;
  explicit RetryPolicy(Rule rule);

  std::optional<Duration> next(unsigned failures, Duration elapsed) const { return rule_(failures, elapsed); }
  // Past this it gives up in any case, so that no attempt lasts longer. Nothing if that is not known beforehand.
  std::optional<Duration> max_elapsed() const { return max_elapsed_; }

 private:
  Rule rule_;
  std::optional<Duration> max_elapsed_{};
};

}  // namespace holdfast
