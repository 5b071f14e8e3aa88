#include "cli/run/lateness.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

constexpr Clock::time_point at(Clock::duration since) { return Clock::time_point(since); }

TEST(Lateness, is_what_was_assumed_until_worse_was_seen) {
  Lateness lateness(50ms);
  EXPECT_EQ(lateness.expected(), 100ms);
  lateness.came(at(1000s), at(1000s) + 20ms);
  EXPECT_EQ(lateness.expected(), 100ms);
  lateness.came(at(1001s), at(1001s) + 300ms);
  EXPECT_EQ(lateness.expected(), 600ms);
}

TEST(Lateness, is_remembered_for_a_minute_and_forgotten_in_the_next) {
  Lateness lateness(0ms);
  lateness.came(at(1000s), at(1001s));
  for (auto now = 1002s; now <= 1061s; now += 1s) {
    lateness.came(at(now), at(now));
    ASSERT_EQ(lateness.expected(), 2s) << now.count();
  }
  for (auto now = 1062s; now <= 1130s; now += 1s) lateness.came(at(now), at(now));
  EXPECT_EQ(lateness.expected(), 0s);
}

// A suspended machine, or a guardian that was stopped.
TEST(Lateness, of_a_pause_is_forgotten_too) {
  Lateness lateness(0ms);
  lateness.came(at(1000s), at(5000s));
  EXPECT_EQ(lateness.expected(), 8000s);
  lateness.came(at(5150s), at(5150s));
  EXPECT_EQ(lateness.expected(), 0s);
}

TEST(Lateness, that_is_assumed_grows_with_the_niceness) {
  for (const bool alone : {false, true}) {
    EXPECT_LT(assumed_lateness(0, alone), assumed_lateness(19, alone));
    EXPECT_EQ(assumed_lateness(-20, alone), assumed_lateness(0, alone));
  }
  EXPECT_LT(assumed_lateness(19, true), assumed_lateness(19, false));
}

TEST(Lateness, that_a_session_is_too_short_for_is_said_with_what_helps) {
  EXPECT_EQ(
      what_it_can_keep({.lateness = 3600ms, .largest_margin = 1140ms, .session_timeout = 2s, .niceness = 19}),
      "at niceness 19 and without the right to raise its priority this run may get the processor 3.6s late, so if the "
      "storage service falls silent, the command may run for 2.46s after another client has the lock; give it "
      "--session-timeout 7s or more, or CAP_SYS_NICE, RLIMIT_RTPRIO or RLIMIT_NICE");
  EXPECT_EQ(what_it_can_keep({.lateness = 2s, .largest_margin = 1s, .session_timeout = 2s}),
            "on a machine as busy as this one this run may get the processor 2s late, so if the storage service falls "
            "silent, "
            "the command may run for 1s after another client has the lock; give it --session-timeout 4s or more");
}

}  // namespace
}  // namespace holdfast::cli
