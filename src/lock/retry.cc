#include "holdfast/retry.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/random.h"
#include "holdfast/error.h"

namespace holdfast {
namespace {

using Duration = RetryPolicy::Duration;

// With more doublings the factor is larger than any sensible max_delay; Curator stops here too (its integers overflowed).
constexpr unsigned kMaxDoublings = 29;

Duration not_negative(Duration delay, const char* what) {
  if (delay < Duration::zero()) throw Error(Errc::invalid_argument, std::string(what) + " must not be negative");
  return delay;
}

double random_between(double low, double high) {
  base::Dice dice;
  return std::uniform_real_distribution<double>(low, high)(dice);
}

}  // namespace

RetryPolicy::RetryPolicy(Rule rule) : rule_(std::move(rule)) {
  if (!rule_) throw Error(Errc::invalid_argument, "a retry policy needs a rule");
}

RetryPolicy RetryPolicy::exponential_backoff(Duration base, unsigned max_retries, Duration max_delay) {
  not_negative(base, "the base of a back-off");
  not_negative(max_delay, "the longest delay of a back-off");
  return RetryPolicy([=](unsigned failures, Duration) -> std::optional<Duration> {
    if (failures > max_retries) return std::nullopt;
    const double factor = random_between(1.0, std::exp2(std::min(failures, kMaxDoublings)));
    const double delay = static_cast<double>(base.count()) * factor;
    return delay >= static_cast<double>(max_delay.count()) ? max_delay : Duration(static_cast<Duration::rep>(delay));
  });
}

RetryPolicy RetryPolicy::forever(Duration interval) {
  not_negative(interval, "the interval between retries");
  return RetryPolicy([=](unsigned, Duration) { return std::optional(interval); });
}

RetryPolicy RetryPolicy::n_times(unsigned n, Duration between) {
  not_negative(between, "the interval between retries");
  return RetryPolicy([=](unsigned failures, Duration) { return failures > n ? std::nullopt : std::optional(between); });
}

RetryPolicy RetryPolicy::once(Duration delay) { return n_times(1, delay); }

RetryPolicy RetryPolicy::until_elapsed(Duration max_elapsed, Duration between) {
  not_negative(max_elapsed, "the time after which retrying ends");
  not_negative(between, "the interval between retries");
  // The next try must begin before the time is up; Curator sleeps first and looks then.
  RetryPolicy policy([=](unsigned, Duration elapsed) {
    return elapsed > max_elapsed || between > max_elapsed - elapsed ? std::nullopt : std::optional(between);
  });
  policy.max_elapsed_ = max_elapsed;
  return policy;
}

}  // namespace holdfast
