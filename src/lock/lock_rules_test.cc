#include <gtest/gtest.h>

#include "holdfast/error.h"
#include "holdfast/lock_settings.h"
#include "lock/hold_terms.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

std::string refusal_of(std::vector<LockRules::Rule> rules) {
  try {
    const LockRules made(std::move(rules));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
  return "fine";
}

TEST(LockRules, take_each_setting_from_the_most_specific_pattern_that_has_it) {
  const LockRules rules({{"orders/vip-*", {.max_hold = 5s}},
                         {"**", {.wait = 1s, .slow_hold = 30s}},
                         {"orders/*", {.wait = 2s, .max_hold = 1min}}});
  EXPECT_EQ(rules.find("orders/vip-1"), (LockSettings{.wait = 2s, .max_hold = 5s, .slow_hold = 30s}));
  EXPECT_EQ(rules.find("/orders/1"), (LockSettings{.wait = 2s, .max_hold = 1min, .slow_hold = 30s}));
  EXPECT_EQ(rules.find("jobs"), (LockSettings{.wait = 1s, .slow_hold = 30s}));
  EXPECT_EQ(LockRules().find("jobs"), LockSettings{});
}

TEST(LockRules, take_the_later_of_two_patterns_that_are_as_specific) {
  const LockRules rules({{"a?", {.wait = 1s}}, {"?a", {.wait = 2s}}});
  EXPECT_EQ(rules.find("aa").wait, 2s);
}

TEST(LockRules, can_be_replaced_and_say_that_they_were) {
  LockRules rules({{"a", {.wait = 1s}}});
  const auto before = rules.version();
  rules.replace({{"a", {.wait = 2s}}});
  EXPECT_EQ(rules.find("a").wait, 2s);
  EXPECT_GT(rules.version(), before);
  EXPECT_THROW(rules.replace({{"//", {}}}), Error);
  EXPECT_EQ(rules.rules(), (std::vector<LockRules::Rule>{{"a", {.wait = 2s}}}));
}

TEST(LockRules, say_what_is_wrong_with_a_rule) {
  EXPECT_EQ(refusal_of({{"a/", {}}}),
            "\"a/\" is not a pattern of names: it ends with a slash; a pattern is a name such as orders/123, orders/* "
            "or orders/**");
  EXPECT_EQ(refusal_of({{"a", {}}, {"b", {}}, {"a", {}}}), "the pattern \"a\" is there twice");
  EXPECT_EQ(refusal_of({{"a", {.min_hold = -1ms}}}),
            "locks \"a\": the minimum hold is -1 ms; it must be between 0 and 31622400000 ms");
  EXPECT_EQ(refusal_of({{"a", {.min_hold = 2s, .max_hold = 1s}}}),
            "locks \"a\": the minimum hold (2000 ms) is longer than the maximum hold (1000 ms)");
  EXPECT_EQ(refusal_of({{"a", {.wait = -1ms}}}),
            "locks \"a\": the wait is -1 ms; it must be between 0 and 31622400000 ms");
  EXPECT_EQ(refusal_of({{"a", {.slow_hold = -1ms}}}),
            "locks \"a\": the slow hold is -1 ms; it must be between 0 and 31622400000 ms");
  EXPECT_EQ(refusal_of({{"a", {.hand_over = {.time = -1ms}}}}),
            "locks \"a\": the time bound of a hand-over is -1 ms; it must be between 0 and 31622400000 ms");
  EXPECT_EQ(refusal_of({{"a", {.permits = 0}}}),
            "locks \"a\": there are 0 permits; there must be between 1 and 2147483647");
  std::vector<LockRules::Rule> many;
  for (std::size_t i = 0; i <= LockRules::kMost; ++i) many.push_back({std::to_string(i), {}});
  EXPECT_EQ(refusal_of(many), "there are 1001 patterns of names; at most 1000 are allowed");
}

TEST(HoldTerms, are_what_code_says_and_then_what_settings_say) {
  const auto rules = std::make_shared<LockRules>(std::vector<LockRules::Rule>{
      {"a", {.min_hold = 1s, .max_hold = 1min, .lock_delay = 2s, .hand_over = {.count = 3}}}});
  lock::Call call;
  lock::HoldTerms({.locks = rules}, "a", {.max_hold = 2s}).apply(call);
  EXPECT_EQ(call.options.min_hold, 1s);
  EXPECT_EQ(call.options.max_hold, 2s) << "as code says";
  EXPECT_EQ(call.options.lock_delay, 2s);
  EXPECT_EQ(call.hand_over, HandOver{.count = 3});

  lock::HoldTerms({.locks = rules}, "a", {.max_hold = 500ms}, /*may_delay=*/false).apply(call);
  EXPECT_EQ(call.options.min_hold, 500ms) << "no longer than the hold itself";
  EXPECT_EQ(call.options.lock_delay, 0s);

  lock::HoldTerms({.locks = rules}, "b", {}).apply(call);
  EXPECT_EQ(call.options.max_hold, 0s);
  EXPECT_EQ(call.hand_over, std::nullopt);
}

TEST(HoldTerms, take_from_settings_only_what_they_say_of_hand_over) {
  const auto rules = std::make_shared<LockRules>(
      std::vector<LockRules::Rule>{{"**", {.hand_over = {.time = 1s}}}, {"a", {.hand_over = {.keep = 100ms}}}});
  lock::Call call;
  lock::HoldTerms({.hand_over = {.count = 0}, .locks = rules}, "a", {}).apply(call);
  EXPECT_EQ(call.hand_over, (HandOver{.count = 0, .time = 1s, .keep = 100ms}));
}

TEST(HoldTerms, follow_rules_that_are_replaced) {
  const auto rules = std::make_shared<LockRules>();
  lock::HoldTerms terms({.locks = rules}, "a", {});
  lock::Call call;
  terms.apply(call);
  EXPECT_EQ(call.options.max_hold, 0s);
  rules->replace({{"a", {.max_hold = 1s}}});
  terms.apply(call);
  EXPECT_EQ(call.options.max_hold, 1s);
}

}  // namespace
}  // namespace holdfast
