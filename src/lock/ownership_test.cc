#include "lock/ownership.h"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

constexpr ThreadId kOne = 1;
constexpr ThreadId kOther = 2;
constexpr auto kWayLock = Ownership::Way::lock;
constexpr auto kWayLease = Ownership::Way::lease;

const Clock::time_point kStart{1h};
const Clock::time_point kEnd = kStart + 10s;

std::shared_ptr<Hold> new_hold() {
  auto validity = std::make_shared<Validity>();
  validity->set(kEnd);
  return std::make_shared<Hold>(nullptr, Hold::Grant{.token = 1, .tickets = {}, .path = {}}, Call{.thread = kOne},
                                validity);
}

TEST(Ownership, of_a_thread_that_enters_again_ends_with_its_last_entry) {
  Ownership ownership(/*reentrant=*/true);
  const auto hold = new_hold();
  ownership.add(hold, kOne, kWayLock);
  EXPECT_TRUE(hold->bound()) << "only this thread can give it back";
  ASSERT_TRUE(ownership.enter_again(kOne, kWayLock, kStart));
  ASSERT_TRUE(ownership.enter_again(kOne, kWayLease, kStart));
  EXPECT_EQ(hold->entries(), 3U);
  EXPECT_FALSE(ownership.leave(kOne)->last);
  EXPECT_TRUE(hold->bound());
  EXPECT_FALSE(ownership.leave(kOne)->last);
  EXPECT_FALSE(hold->bound()) << "a Lease can be given back by any thread";
  EXPECT_FALSE(ownership.leave(kOne)) << "no lock() is left";
  EXPECT_TRUE(ownership.leave(hold));
  EXPECT_EQ(ownership.kept_by(kOne), nullptr);
}

TEST(Ownership, is_of_one_thread_and_no_other) {
  Ownership ownership(/*reentrant=*/true);
  ownership.add(new_hold(), kOne, kWayLock);
  EXPECT_FALSE(ownership.enter_again(kOther, kWayLock, kStart));
  EXPECT_FALSE(ownership.leave(kOther));
  EXPECT_TRUE(ownership.is_held(kOne, kStart));
  EXPECT_FALSE(ownership.is_held(kOther, kStart));
  EXPECT_TRUE(ownership.is_held(std::nullopt, kStart));
  EXPECT_TRUE(ownership.leave(kOne)->last);
}

TEST(Ownership, that_was_lost_is_not_entered_again_and_stays_until_it_is_left) {
  Ownership ownership(/*reentrant=*/true);
  const auto hold = new_hold();
  ownership.add(hold, kOne, kWayLock);
  EXPECT_FALSE(ownership.enter_again(kOne, kWayLock, kEnd - 1ns)->lost);
  const auto again = ownership.enter_again(kOne, kWayLock, kEnd);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->lost);
  EXPECT_EQ(hold->entries(), 2U) << "not entered";
  EXPECT_FALSE(ownership.is_held(kOne, kEnd));
  EXPECT_EQ(ownership.kept_by(kOne), hold);
  EXPECT_FALSE(ownership.leave(kOne)->last);
  EXPECT_TRUE(ownership.leave(kOne)->last);
}

TEST(Ownership, that_is_not_reentrant_is_a_hold_for_each_entry_and_may_be_left_by_another_thread) {
  Ownership ownership(/*reentrant=*/false);
  const auto first = new_hold();
  const auto second = new_hold();
  ownership.add(first, kOne, kWayLock);
  EXPECT_FALSE(first->bound());
  EXPECT_FALSE(ownership.enter_again(kOne, kWayLock, kStart));
  ownership.add(second, kOther, kWayLock);
  EXPECT_EQ(ownership.leave(kOther)->hold, second) << "its own first";
  const auto left = ownership.leave(kOther);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->hold, first);
  EXPECT_TRUE(left->last);
  EXPECT_FALSE(ownership.leave(kOther));
}

TEST(Ownership, that_is_abandoned_leaves_what_a_lease_still_holds) {
  Ownership ownership(/*reentrant=*/true);
  const auto locked = new_hold();
  const auto leased = new_hold();
  ownership.add(locked, kOne, kWayLock);
  ownership.add(leased, kOther, kWayLease);
  ASSERT_TRUE(ownership.enter_again(kOther, kWayLock, kStart));
  EXPECT_EQ(ownership.abandon(), std::vector{locked});
  EXPECT_FALSE(leased->bound());
  EXPECT_TRUE(ownership.leave(leased));
  EXPECT_TRUE(ownership.abandon().empty());
}

}  // namespace
}  // namespace holdfast::lock
