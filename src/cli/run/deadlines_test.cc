#include "cli/run/deadlines.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kNever = Clock::time_point::max();
constexpr Clock::time_point at(Clock::duration since) { return Clock::time_point(since); }

TEST(Deadlines, tell_and_then_kill_before_the_lease_ends) {
  const HoldTerms terms{.on_lost = OnLost::term, .kill_after = 3s, .margin = 500ms};
  EXPECT_EQ(plan_deadlines(terms, at(100s)), (Deadlines{at(96'500ms), at(99'500ms)}));
}

TEST(Deadlines, move_on_with_the_lease) {
  const HoldTerms terms{.on_lost = OnLost::term, .kill_after = 3s, .margin = 500ms};
  EXPECT_EQ(plan_deadlines(terms, at(102s)).kill - plan_deadlines(terms, at(100s)).kill, 2s);
}

TEST(Deadlines, kill_without_a_word_if_so_told) {
  const HoldTerms terms{.on_lost = OnLost::kill, .kill_after = 3s, .margin = 500ms};
  EXPECT_EQ(plan_deadlines(terms, at(100s)), (Deadlines{kNever, at(99'500ms)}));
  EXPECT_EQ(end_now(terms, at(50s)), (Deadlines{kNever, at(50s)}));
}

TEST(Deadlines, are_none_if_loss_is_ignored) {
  const HoldTerms terms{.on_lost = OnLost::ignore, .kill_after = 3s, .margin = 500ms};
  EXPECT_EQ(plan_deadlines(terms, at(100s)), Deadlines{});
}

TEST(Deadlines, of_the_maximum_hold_come_first_if_they_are_first) {
  for (const auto on_lost : {OnLost::term, OnLost::kill, OnLost::ignore}) {
    const HoldTerms terms{.on_lost = on_lost, .kill_after = 3s, .margin = 500ms, .hold_until = at(20s)};
    EXPECT_EQ(plan_deadlines(terms, at(100s)), (Deadlines{at(20s), at(23s)}));
  }
  const HoldTerms late{.on_lost = OnLost::term, .kill_after = 3s, .margin = 500ms, .hold_until = at(98s)};
  EXPECT_EQ(plan_deadlines(late, at(100s)), (Deadlines{at(96'500ms), at(99'500ms)}));
}

TEST(Deadlines, are_earlier_for_a_guardian_that_is_late) {
  const HoldTerms terms{.kill_after = 3s, .margin = 500ms, .largest_margin = 6s};
  const auto widened = [&](Clock::duration lateness) {
    return plan_deadlines(widen_margin(terms, lateness), at(100s));
  };
  EXPECT_EQ(widened(0s), plan_deadlines(terms, at(100s)));
  EXPECT_EQ(widened(2s), (Deadlines{at(95s), at(98s)}));
  // The command is given less time rather than too much.
  EXPECT_EQ(widened(5s), (Deadlines{at(94s), at(95s)}));
  EXPECT_EQ(widened(60s), (Deadlines{at(94s), at(94s)}));
}

TEST(Deadlines, of_a_late_guardian_still_leave_the_service_time_to_be_late) {
  for (const auto session : {1s, 2s, 6s, 15s, 60s, 3'600s}) {
    // A beat is a sixth of the session. Two of them late must not end anything.
    EXPECT_LT(largest_margin(nominal_validity(session)), nominal_validity(session) - 2 * Clock::duration(session) / 6);
  }
}

TEST(Deadlines, survive_both_ends_of_time) {
  const HoldTerms terms{.on_lost = OnLost::term, .kill_after = 3s, .margin = 500ms};
  EXPECT_EQ(plan_deadlines(terms, kNever), Deadlines{});
  EXPECT_EQ(plan_deadlines(terms, at(1s)), (Deadlines{at(0s), at(500ms)}));
  EXPECT_EQ(end_now(terms, kNever).kill, kNever);
}

TEST(Deadlines, leave_the_service_time_to_be_late) {
  for (const auto session : {1s, 2s, 6s, 15s, 60s, 3'600s}) {
    const auto validity = nominal_validity(session);
    const auto kill_after = choose_kill_after(std::nullopt, validity);
    ASSERT_TRUE(kill_after);
    // A beat is a sixth of the session. Two of them late must not end anything.
    EXPECT_LT(*kill_after + kill_margin(validity), validity - 2 * Clock::duration(session) / 6);
    EXPECT_LE(*kill_after, 5s);
  }
}

TEST(Deadlines, refuse_a_grace_that_does_not_fit) {
  EXPECT_EQ(choose_kill_after(4s, 14'250ms), Clock::duration(4s));
  const auto refused = choose_kill_after(10s, 14'250ms);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error(),
      "--kill-after 10s does not fit into a lock that is good for 14.25s after the storage service was last heard; "
      "give at most 4.75s, or a longer --session-timeout");
}

TEST(Deadlines, fit_the_grace_into_a_session_that_is_shorter_than_was_asked_for) {
  EXPECT_EQ(fit_kill_after(4s, 14'250ms), 4s);
  EXPECT_EQ(fit_kill_after(4s, 2s), 1'100ms);
  EXPECT_EQ(fit_kill_after(4s, 50ms), 0s);
}

}  // namespace
}  // namespace holdfast::cli
