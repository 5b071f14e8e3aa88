#include "lock/core.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/breaking_line.h"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

// At its address something else listens, which it finds out every millisecond.
class StrangersLine final : public testing::BreakingLine {
 public:
  explicit StrangersLine(spi::Executor& executor) : BreakingLine(executor), executor_(executor) {}

  void open(spi::Observer& observer) override {
    executor_.at(executor_.now() + 1ms, [this, &observer] {
      if (closed_) return;
      observer.no_service();
      open(observer);
    });
  }
  std::function<void()> close() override {
    closed_ = true;
    return {};
  }

 private:
  spi::Executor& executor_;
  bool closed_ = false;
};

// Each attempt ends as soon as that is known; the pause before the next one does not.
TEST(Core, keeps_the_pauses_of_the_retry_policy_whatever_ends_its_attempts) {
  constexpr auto kPause = 100ms;
  std::vector<Clock::time_point> failures;
  const RetryPolicy policy([&](unsigned count, RetryPolicy::Duration) -> std::optional<RetryPolicy::Duration> {
    failures.push_back(Clock::now());
    return count < 4 ? std::optional(kPause) : std::nullopt;
  });
  Core core([](net::Reactor& reactor) { return std::make_unique<StrangersLine>(reactor); },
            {.connection_timeout = 30s, .retry = policy});
  const auto began = Clock::now();
  EXPECT_THROW(core.open(began + 1h), Error);
  ASSERT_EQ(failures.size(), 4u);
  for (std::size_t i = 1; i < failures.size(); ++i) EXPECT_GE(failures[i] - failures[i - 1], kPause);
  EXPECT_LT(failures.back() - began, 20s) << "no attempt ended early, so this test shows nothing";
}

}  // namespace
}  // namespace holdfast::lock
