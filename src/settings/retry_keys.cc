#include "settings/retry_keys.h"

namespace holdfast::settings {
namespace {

enum Policy : std::size_t { exponential_backoff, forever, n_times, once, until_elapsed };

}  // namespace

const std::vector<RetryPolicyKey>& retry_policies() {
  static const std::vector<RetryPolicyKey> policies{
      {"exponential-backoff",
       "exponential-back-off-retry",
       {{"base", "base_sleep_time_ms", "100ms"},
        {"max_retries", "max_retries", "10"},
        {"max_delay", "max_sleep_ms", "5s"}}},
      {"forever", "retry-forever", {{"interval", "retry_interval_ms", "2s"}}},
      {"n-times", "retry-n-times", {{"n", "n", "3"}, {"interval", "sleep_ms_between_retries", "2s"}}},
      {"once", "retry-one-time", {{"interval", "sleep_ms_between_retry", "2s"}}},
      {"until-elapsed",
       "retry-until-elapsed",
       {{"max_elapsed", "max_elapsed_time_ms", "30s"}, {"interval", "sleep_ms_between_retries", "2s"}}}};
  return policies;
}

RetryPolicy make_policy(const RetryValues& values) {
  switch (values.policy) {
    case forever: return RetryPolicy::forever(values.interval);
    case n_times: return RetryPolicy::n_times(static_cast<unsigned>(values.n), values.interval);
    case once: return RetryPolicy::once(values.interval);
    case until_elapsed: return RetryPolicy::until_elapsed(values.max_elapsed, values.interval);
    case exponential_backoff: break;
  }
  return RetryPolicy::exponential_backoff(values.base, static_cast<unsigned>(values.max_retries), values.max_delay);
}

}  // namespace holdfast::settings
