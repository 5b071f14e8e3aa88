// retry.h -- how often, and how fast, a call tries again when the service cannot be reached.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "holdfast/language.h"

namespace holdfast {

// Curator's policies, by Curator's names; see ClientOptions::retry. A call never outlives its own deadline, whatever the policy would still
// allow. When the policy ends first, the call fails with Errc::not_connected. Only a service that cannot be reached is tried again: what it
// refuses, it would refuse again.
//
// Example:
//
//   using namespace std::chrono_literals;
//   holdfast::ClientOptions options{.retry = holdfast::RetryPolicy::until_elapsed(30s, 500ms)};
//   auto client = holdfast::Client::connect("memory:", options);
//
// A value: copied freely. Negative times are refused with Error(invalid_argument).
//
// Thread safety: a const policy may be used by several threads; a rule of your own must allow that too.
class RetryPolicy {
 public:
  using Duration = std::chrono::milliseconds;

  // Before the n-th retry waits base * random(1, 2^n), at most `max_delay`; gives up after `max_retries`.
  static RetryPolicy exponential_backoff(Duration base, unsigned max_retries, Duration max_delay = Duration(30'000));
  // Never gives up.
  static RetryPolicy forever(Duration interval);
  // Gives up after `n` retries, with `between` before each.
  static RetryPolicy n_times(unsigned n, Duration between);
  // n_times(1, delay).
  static RetryPolicy once(Duration delay);
  // Gives up when the next retry would begin later than `max_elapsed` after the first failure.
  static RetryPolicy until_elapsed(Duration max_elapsed, Duration between);

  // A policy of your own: from the number of failures so far (at least 1) and the time since the first of them to the delay before the next
  // attempt, or nothing to give up. It is called with internal locks held: it must compute and not block. If it throws, that is giving up.
  using Rule = std::function<std::optional<Duration>(unsigned failures, Duration elapsed)>;
  explicit RetryPolicy(Rule rule);

  std::optional<Duration> next(unsigned failures, Duration elapsed) const { return rule_(failures, elapsed); }
  // After this long it gives up in any case, so no attempt lasts longer. Nothing if that is not known beforehand.
  std::optional<Duration> max_elapsed() const { return max_elapsed_; }

 private:
  Rule rule_;
  std::optional<Duration> max_elapsed_{};
};

}  // namespace holdfast
