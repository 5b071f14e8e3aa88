#include "fault_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

TEST(FaultPlan, is_the_same_for_the_same_seed) {
  FaultPlan one(7, 6, 2s);
  FaultPlan same(7, 6, 2s);
  FaultPlan other(8, 6, 2s);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const Fault a = one.next();
    const Fault b = same.next();
    const Fault c = other.next();
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.after, b.after);
    EXPECT_EQ(a.duration, b.duration);
    EXPECT_EQ(a.at_holder, b.at_holder);
    EXPECT_EQ(a.victim, b.victim);
    EXPECT_EQ(a.way, b.way);
    differs = differs || a.after != c.after;
  }
  EXPECT_TRUE(differs);
}

TEST(FaultPlan, has_every_kind_in_each_hand) {
  FaultPlan plan(1, 6, 2s);
  for (int hand = 0; hand < 20; ++hand) {
    std::set<FaultKind> kinds;
    for (std::size_t i = 0; i < FaultPlan::kHand; ++i) kinds.insert(plan.next().kind);
    EXPECT_EQ(kinds.size(), kFaultKinds.size());
  }
}

TEST(FaultPlan, stops_and_silences_for_longer_than_the_session) {
  FaultPlan plan(1, 6, 2s);
  std::map<FaultKind, int> seen;
  for (std::size_t i = 0; i < 50 * FaultPlan::kHand; ++i) {
    const Fault fault = plan.next();
    ++seen[fault.kind];
    EXPECT_LT(fault.victim, 6U);
    if (fault.kind == FaultKind::stop || fault.kind == FaultKind::black_hole) {
      EXPECT_GT(fault.duration, 2s);
    }
  }
  EXPECT_EQ(seen[FaultKind::stop], 100);
  EXPECT_EQ(seen[FaultKind::black_hole], 100);
}

}  // namespace
}  // namespace holdfast::testing
