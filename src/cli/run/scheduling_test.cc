#include "cli/run/scheduling.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>

namespace holdfast::cli {
namespace {

// In a thread of its own: what it changes goes with it.
template <typename Work>
void in_a_thread(Work work) {
  std::thread(work).join();
}

TEST(Scheduling, is_given_back_as_it_was) {
  in_a_thread([] {
    ASSERT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 7), 0);
    const auto before = own_scheduling();
    EXPECT_EQ(before.niceness, 7);
    hurry(0, Urgency::most);
    restore_scheduling(before);
    const auto after = own_scheduling();
    EXPECT_EQ(after.policy, before.policy);
    EXPECT_EQ(after.niceness, before.niceness);
    EXPECT_EQ(after.runtime, before.runtime);
  });
}

TEST(Scheduling, says_how_urgent_it_has_made_itself) {
  in_a_thread([] {
    ASSERT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 7), 0);
    const auto turn = hurry(0, Urgency::most);
    const auto after = own_scheduling();
    switch (turn) {
      case Turn::first: EXPECT_TRUE(after.policy == SCHED_FIFO || after.policy == SCHED_RR); break;
      case Turn::early: EXPECT_LT(after.niceness, 0); break;
      case Turn::usual: EXPECT_GE(after.niceness, 0); break;
    }
  });
}

TEST(Scheduling, of_short_turns_changes_neither_policy_nor_niceness) {
  in_a_thread([] {
    ASSERT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 7), 0);
    take_short_turns();
    EXPECT_EQ(own_scheduling().policy, static_cast<std::uint32_t>(SCHED_OTHER));
    EXPECT_EQ(own_scheduling().niceness, 7);
  });
}

TEST(Scheduling, of_a_thread_that_is_gone_does_no_harm) { EXPECT_EQ(hurry(1 << 30, Urgency::less), Turn::usual); }

}  // namespace
}  // namespace holdfast::cli
