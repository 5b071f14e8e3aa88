#include "simulation.h"

#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "run.h"

namespace holdfast::simulation {
namespace {

using namespace std::chrono_literals;

class Simulated : public ::testing::Test {
 protected:
  void SetUp() override { be_quiet(); }

  static void expect_no_objection(std::uint64_t seed, std::uint64_t seeds) {
    const auto total = run_seeds(seed, seeds, 30s);
    std::cout << "from seed " << seed << " on: " << summary(total);
    EXPECT_FALSE(total.failed) << story(total, 100);
    EXPECT_GT(total.counts.grants, 0U);
  }
};

TEST_F(Simulated, clients_exclude_each_other_notice_every_loss_and_leave_nothing_behind) {
  expect_no_objection(1, 500);
}

TEST_F(Simulated, clients_do_so_with_a_seed_that_no_run_had_before) {
  expect_no_objection(std::random_device{}(), 500);
}

TEST_F(Simulated, time_passes_the_same_way_again_with_the_same_seed) {
  for (const std::uint64_t seed : {7, 8, 9}) {
    const auto once = simulate({.seed = seed});
    const auto again = simulate({.seed = seed});
    EXPECT_EQ(once.trace, again.trace) << "seed " << seed;
    EXPECT_EQ(once.events, again.events);
    EXPECT_EQ(once.frames, again.frames);
    EXPECT_GT(once.trace.size(), 100U);
  }
  EXPECT_NE(simulate({.seed = 7}).trace, simulate({.seed = 8}).trace);
}

TEST_F(Simulated, clients_lose_nothing_and_wait_in_vain_for_nothing_while_all_is_well) {
  const auto result = simulate({.seed = 1, .faults_for = 30s, .faults = false});
  EXPECT_TRUE(result.objections.empty());
  EXPECT_EQ(result.crashes, 0U);
  EXPECT_EQ(result.counts.sessions, 2U) << "one each";
  EXPECT_EQ(result.counts.refusals, 0U);
}

}  // namespace
}  // namespace holdfast::simulation
