#include "holdfast/retry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "holdfast/error.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using Duration = RetryPolicy::Duration;

constexpr int kDraws = 10'000;

std::vector<Duration> draws(const RetryPolicy& policy, unsigned failures) {
  std::vector<Duration> all;
  for (int i = 0; i < kDraws; ++i) {
    const auto delay = policy.next(failures, 0ms);
    if (!delay) return all;
    all.push_back(*delay);
  }
  return all;
}

template <class Make>
void expect_refused(Make&& make) {
  try {
    make();
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("must not be negative"), std::string::npos) << error.what();
  }
}

TEST(ExponentialBackoff, allows_as_many_retries_as_it_was_told) {
  const auto policy = RetryPolicy::exponential_backoff(1ms, 5);
  for (unsigned failures = 1; failures <= 5; ++failures) EXPECT_TRUE(policy.next(failures, 0ms)) << failures;
  EXPECT_FALSE(policy.next(6, 0ms));
  EXPECT_FALSE(policy.next(1'000, 0ms));
}

TEST(ExponentialBackoff, allows_none_if_told_none) {
  EXPECT_FALSE(RetryPolicy::exponential_backoff(1ms, 0).next(1, 0ms));
}

TEST(ExponentialBackoff, draws_between_the_base_and_twice_as_much_for_every_failure) {
  const auto policy = RetryPolicy::exponential_backoff(1'000ms, 10, 1h);
  for (unsigned failures = 1; failures <= 10; ++failures) {
    const auto all = draws(policy, failures);
    ASSERT_EQ(all.size(), static_cast<std::size_t>(kDraws));
    const auto [shortest, longest] = std::minmax_element(all.begin(), all.end());
    const auto low = 1'000ms;
    const auto high = 1'000ms * (1 << failures);
    EXPECT_GE(*shortest, low);
    EXPECT_LE(*longest, high);
    // Jitter that covers its range: with 10,000 draws each of these fails by chance once in 10^43.
    EXPECT_LT(*shortest, low + (high - low) / 100);
    EXPECT_GT(*longest, high - (high - low) / 100);
  }
}

TEST(ExponentialBackoff, never_waits_longer_than_the_longest_delay) {
  const auto policy = RetryPolicy::exponential_backoff(100ms, 40, 250ms);
  for (const unsigned failures : {1U, 2U, 3U, 29U, 40U}) {
    for (const auto delay : draws(policy, failures)) {
      ASSERT_GE(delay, 100ms);
      ASSERT_LE(delay, 250ms);
    }
  }
}

TEST(ExponentialBackoff, waits_the_longest_delay_if_the_base_is_longer) {
  EXPECT_EQ(RetryPolicy::exponential_backoff(10s, 3, 1s).next(1, 0ms), 1s);
}

TEST(ExponentialBackoff, does_not_wait_with_a_base_of_zero) {
  const auto policy = RetryPolicy::exponential_backoff(0ms, 100);
  EXPECT_EQ(policy.next(1, 0ms), 0ms);
  EXPECT_EQ(policy.next(100, 0ms), 0ms);
}

TEST(ExponentialBackoff, does_not_overflow_after_many_retries_of_a_huge_base) {
  const auto forever = std::numeric_limits<unsigned>::max();
  for (const auto base :
       {Duration(1), Duration(1h), Duration(std::numeric_limits<std::int32_t>::max()), Duration::max()}) {
    for (const auto max_delay : {Duration(30s), Duration::max()}) {
      const auto policy = RetryPolicy::exponential_backoff(base, forever, max_delay);
      for (const unsigned failures : {1U, 28U, 29U, 30U, 31U, 32U, 63U, 64U, 1'000U, forever}) {
        for (int i = 0; i < 100; ++i) {
          const auto delay = policy.next(failures, Duration::max());
          ASSERT_TRUE(delay);
          ASSERT_GE(*delay, std::min(base, max_delay)) << base.count() << " after " << failures;
          ASSERT_LE(*delay, max_delay) << base.count() << " after " << failures;
        }
      }
    }
  }
}

TEST(ExponentialBackoff, refuses_negative_arguments) {
  expect_refused([] { return RetryPolicy::exponential_backoff(-1ms, 3); });
  expect_refused([] { return RetryPolicy::exponential_backoff(1ms, 3, -1ms); });
  expect_refused([] { return RetryPolicy::exponential_backoff(Duration::min(), 3); });
}

TEST(RetryForever, always_waits_the_interval) {
  const auto policy = RetryPolicy::forever(70ms);
  for (const unsigned failures : {1U, 2U, 1'000'000U, std::numeric_limits<unsigned>::max()}) {
    EXPECT_EQ(policy.next(failures, Duration::max()), 70ms);
  }
}

TEST(RetryForever, refuses_a_negative_interval) {
  expect_refused([] { return RetryPolicy::forever(-1ms); });
}

TEST(RetryNTimes, allows_n_retries) {
  const auto policy = RetryPolicy::n_times(3, 20ms);
  for (unsigned failures = 1; failures <= 3; ++failures) EXPECT_EQ(policy.next(failures, 1h), 20ms);
  EXPECT_FALSE(policy.next(4, 0ms));
}

TEST(RetryNTimes, allows_none_for_zero) { EXPECT_FALSE(RetryPolicy::n_times(0, 20ms).next(1, 0ms)); }

TEST(RetryNTimes, refuses_a_negative_interval) {
  expect_refused([] { return RetryPolicy::n_times(3, -1ms); });
}

TEST(RetryOnce, allows_one_retry) {
  const auto policy = RetryPolicy::once(20ms);
  EXPECT_EQ(policy.next(1, 0ms), 20ms);
  EXPECT_FALSE(policy.next(2, 0ms));
}

TEST(RetryOnce, refuses_a_negative_delay) {
  expect_refused([] { return RetryPolicy::once(-1ms); });
}

TEST(RetryUntilElapsed, never_allows_a_try_that_would_begin_after_the_time_is_up) {
  for (Duration max_elapsed = 0ms; max_elapsed <= 30ms; ++max_elapsed) {
    for (Duration between = 0ms; between <= 35ms; ++between) {
      const auto policy = RetryPolicy::until_elapsed(max_elapsed, between);
      for (Duration elapsed = 0ms; elapsed <= 35ms; ++elapsed) {
        const auto delay = policy.next(1, elapsed);
        if (delay) {
          ASSERT_EQ(*delay, between);
          ASSERT_LE(elapsed + *delay, max_elapsed);
        } else {
          ASSERT_GT(elapsed + between, max_elapsed);
        }
      }
    }
  }
}

TEST(RetryUntilElapsed, does_not_count_failures) {
  EXPECT_EQ(RetryPolicy::until_elapsed(1s, 10ms).next(1'000'000, 500ms), 10ms);
}

TEST(RetryUntilElapsed, does_not_overflow_with_a_huge_interval) {
  EXPECT_FALSE(RetryPolicy::until_elapsed(1s, Duration::max()).next(1, 1ms));
  EXPECT_FALSE(RetryPolicy::until_elapsed(1s, 1ms).next(1, Duration::max()));
}

TEST(RetryUntilElapsed, goes_on_for_ever_if_told_so) {
  EXPECT_EQ(RetryPolicy::until_elapsed(Duration::max(), 10ms).next(1, 1h), 10ms);
}

TEST(RetryUntilElapsed, refuses_negative_arguments) {
  expect_refused([] { return RetryPolicy::until_elapsed(-1ms, 1ms); });
  expect_refused([] { return RetryPolicy::until_elapsed(1ms, -1ms); });
}

TEST(RetryPolicy, asks_a_rule_of_the_users_own) {
  const RetryPolicy policy([](unsigned failures, Duration elapsed) -> std::optional<Duration> {
    if (elapsed > 1s) return std::nullopt;
    return Duration(failures);
  });
  EXPECT_EQ(policy.next(7, 0ms), 7ms);
  EXPECT_FALSE(policy.next(7, 2s));
}

TEST(RetryPolicy, refuses_a_rule_that_is_none) {
  try {
    const RetryPolicy policy{RetryPolicy::Rule{}};
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_STREQ(error.what(), "a retry policy needs a rule");
  }
}

}  // namespace
}  // namespace holdfast
