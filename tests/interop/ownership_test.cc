// docs/semantics.md, ownership: who may release, seen from another process that waits.
#include <thread>

#include "interop.h"

namespace holdfast::testing {
namespace {

class Ownership : public Interop {};

TEST_F(Ownership, a_release_by_a_process_that_does_not_hold_is_an_error_and_the_holder_keeps_it) {
  auto& holder = start(Make::holdfast);
  auto& stranger = start(Make::holdfast);
  const auto token = holder.acquire();
  stranger.send("release");
  EXPECT_EQ(stranger.expect("error "), "error " + make_error_code(Errc::not_owner).message());
  ASSERT_EQ(queue().size(), 1U);
  EXPECT_EQ(std::to_string(queue().front().czxid), token);
  EXPECT_EQ(stranger.acquire_within(kShortWait), std::nullopt);
  EXPECT_EQ(holder.lost_at(), std::nullopt);

  holder.release();
  holder.send("release");  // and a second time it is a stranger itself
  holder.expect("error ");
  stranger.acquire();
}

TEST_F(Ownership, a_waiter_may_not_release_what_it_waits_for) {
  auto& holder = start(Make::holdfast);
  holder.acquire();
  auto client = connect();
  auto mutex = client.mutex(kPath);
  std::jthread waiter([&] { EXPECT_TRUE(mutex.acquire().token() != 0); });
  ASSERT_TRUE(queue_becomes(2));
  EXPECT_EQ(mutex.release(), Errc::not_owner);
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  EXPECT_EQ(queue().size(), 2U);
  holder.release();
}

TEST_F(Ownership, the_holder_of_ours_keeps_it_when_curator_releases_what_it_does_not_hold) {
  auto& holder = start(Make::holdfast);
  auto& stranger = start(Make::curator);
  holder.acquire();
  stranger.send("release");
  stranger.expect("error ");
  EXPECT_EQ(stranger.acquire_within(kShortWait), std::nullopt);
  EXPECT_EQ(holder.lost_at(), std::nullopt);
  holder.release();
  stranger.acquire();
}

TEST_F(Ownership, a_hold_that_was_entered_twice_is_given_to_curator_after_the_second_release) {
  auto& holder = start(Make::holdfast);
  auto& waiter = start(Make::curator);
  const auto token = holder.acquire();
  EXPECT_EQ(holder.acquire(), token);
  EXPECT_EQ(queue().size(), 1U) << "the second entry made a ticket";
  holder.release();
  EXPECT_EQ(waiter.acquire_within(kShortWait), std::nullopt);
  holder.release();
  EXPECT_GT(std::stoull(waiter.acquire()), std::stoull(token));
}

TEST_F(Ownership, another_object_of_the_same_thread_waits_until_curator_had_its_turn) {
  auto client = connect();
  auto mutex = client.mutex(kPath);
  auto other_object = client.mutex(kPath);
  auto& curator = start(Make::curator);
  auto lease = mutex.acquire();
  EXPECT_EQ(other_object.try_acquire_for(kShortWait).error(), Errc::timed_out);
  EXPECT_EQ(other_object.release(), Errc::not_owner);
  curator.send("acquire");
  ASSERT_TRUE(queue_becomes(2));
  ASSERT_FALSE(lease.release());
  curator.expect("acquired ");
  EXPECT_EQ(other_object.try_acquire().error(), Errc::timed_out);
  curator.release();
  EXPECT_TRUE(other_object.try_acquire_for(kSoon));
}

TEST_F(Ownership, a_lease_released_by_another_thread_passes_to_curator) {
  auto client = connect();
  auto mutex = client.mutex(kPath);
  auto& waiter = start(Make::curator);
  auto lease = mutex.acquire();
  const auto token = lease.token();
  waiter.send("acquire");
  ASSERT_TRUE(queue_becomes(2));
  std::jthread([lease = std::move(lease)]() mutable { EXPECT_FALSE(lease.release()); }).join();
  EXPECT_GT(std::stoull(waiter.expect("acquired ").substr(9)), token);
  EXPECT_FALSE(mutex.is_held_by_this_thread());
}

}  // namespace
}  // namespace holdfast::testing
