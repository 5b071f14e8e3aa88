// docs/semantics.md, "How long a hold lasts": minimum and maximum hold, lock delay.
#include <future>
#include <mutex>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Holding = Conformance;

TEST_F(Holding, others_do_not_get_it_before_the_minimum_is_over) {
  auto first = connect();
  auto second = connect();
  auto mine = first.mutex("m", {.min_hold = 400ms});
  auto theirs = second.mutex("m");
  const auto begin = Clock::now();
  auto lease = mine.acquire();
  EXPECT_EQ(lease.release(), std::error_code());
  EXPECT_FALSE(lease.is_held());
  EXPECT_FALSE(theirs.try_lock());
  EXPECT_FALSE(mine.try_lock());
  auto next = theirs.try_acquire_for(kSoon);
  ASSERT_TRUE(next) << next.message();
  EXPECT_GE(Clock::now() - begin, 400ms);
}

TEST_F(Holding, release_can_wait_for_the_end_of_the_minimum) {
  auto client = connect();
  auto mutex = client.mutex("m", {.min_hold = 200ms});
  const auto begin = Clock::now();
  auto lease = mutex.acquire();
  EXPECT_EQ(lease.release_for(kSoon), std::error_code());
  EXPECT_GE(Clock::now() - begin, 200ms);
  EXPECT_EQ(queue_length("m"), 0U);
}

TEST_F(Holding, the_next_thread_of_the_same_client_waits_for_the_minimum_too) {
  auto client = connect();
  auto a = client.mutex("m", {.min_hold = 300ms});
  auto b = client.mutex("m");
  const auto begin = Clock::now();
  a.acquire().release();
  EXPECT_TRUE(b.try_acquire_for(kSoon));
  EXPECT_GE(Clock::now() - begin, 300ms);
}

// Nobody holds it while it rests, but it is ours; when it is not any more, it must not be handed on.
TEST_F(Holding, a_rest_that_outlives_the_ticket_does_not_hand_it_over) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto first = connect({.session_timeout = 2s, .hand_over = {.count = 64, .time = 1h}});
  auto second = connect();
  auto a = first.mutex("m", {.min_hold = 3s});
  auto b = first.mutex("m");
  auto lease = a.acquire();
  const auto token = lease.token();
  lease.release();
  auto local = std::async(std::launch::async, [&] { return b.acquire(); });
  world_->remove_ticket("m", world_->tickets("m").front());
  auto theirs = second.mutex("m").acquire();
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; })) << "it queues again";
  EXPECT_EQ(local.wait_for(3500ms), std::future_status::timeout) << "two holders";
  theirs.release();
  EXPECT_GT(local.get().token(), token);
}

TEST_F(Holding, who_holds_longer_than_the_minimum_does_not_notice_it) {
  auto client = connect();
  auto mutex = client.mutex("m", {.min_hold = 1ms});
  auto lease = mutex.acquire();
  ASSERT_TRUE(eventually(kSoon, [begin = Clock::now()] { return Clock::now() - begin > 5ms; }));
  EXPECT_EQ(lease.release_for(kSoon), std::error_code());
  EXPECT_EQ(queue_length("m"), 0U);
}

TEST_F(Holding, it_ends_at_the_maximum_and_the_holder_is_told) {
  auto first = connect();
  auto second = connect();
  auto mine = first.mutex("m", {.max_hold = 300ms});
  auto theirs = second.mutex("m");
  const auto begin = Clock::now();
  auto lease = mine.acquire();
  EXPECT_LE(lease.valid_until(), Clock::now() + 300ms);
  auto next = theirs.try_acquire_for(kSoon);
  ASSERT_TRUE(next) << next.message();
  EXPECT_GE(Clock::now() - begin, 300ms);
  EXPECT_FALSE(lease.is_held());
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  EXPECT_EQ(lease.release(), Errc::session_lost);
  EXPECT_TRUE(next.lease().is_held());
}

TEST_F(Holding, a_reader_at_its_maximum_does_not_take_others_along) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto limited = client.shared_mutex("m", {.max_hold = 200ms});
  auto free = client.shared_mutex("m");
  auto one = limited.acquire_shared();
  auto two = free.acquire_shared();
  EXPECT_EQ(one.token(), two.token());
  ASSERT_TRUE(eventually(kSoon, [&] { return one.lost().stop_requested(); }));
  EXPECT_TRUE(two.is_held());
  EXPECT_EQ(queue_length("m"), 1U);
}

TEST_F(Holding, times_that_make_no_sense_are_refused) {
  auto client = connect();
  EXPECT_THROW(client.mutex("m", {.min_hold = -1ms}), Error);
  EXPECT_THROW(client.mutex("m", {.max_hold = -1ms}), Error);
  EXPECT_THROW(client.mutex("m", {.lock_delay = -1ms}), Error);
  EXPECT_THROW(client.mutex("m", {.min_hold = 2s, .max_hold = 1s}), Error);
  EXPECT_THROW(client.mutex("m", {.max_hold = 24h * 367}), Error);
  EXPECT_THROW(client.semaphore("m", 1, {.lock_delay = 1s}), Error);
  EXPECT_THROW(client.multi_lock({{"m"}}, {.lock_delay = 1s}), Error);
}

TEST_F(Holding, a_release_leaves_the_next_no_delay_and_no_mark) {
  HOLDFAST_NEEDS(marks);
  auto first = connect();
  auto second = connect();
  auto mine = first.mutex("m", {.lock_delay = 1h});
  auto theirs = second.mutex("m", {.lock_delay = 1h});
  EXPECT_EQ(mine.acquire().release_for(kSoon), std::error_code());
  auto next = theirs.try_acquire_for(kSoon);
  ASSERT_TRUE(next) << next.message();
  EXPECT_EQ(next.lease().release_for(kSoon), std::error_code());
  EXPECT_EQ(tickets_and_marks("m"), 0U);
}

TEST_F(Holding, who_comes_after_one_that_did_not_release_waits_for_the_delay) {
  HOLDFAST_NEEDS(marks);
  auto first = connect();
  auto second = connect();
  auto mine = first.mutex("m", {.lock_delay = 300ms});
  auto theirs = second.mutex("m", {.lock_delay = 300ms});
  auto lease = mine.acquire();
  auto waiting = std::async(std::launch::async, [&] {
    auto next = theirs.acquire();
    return std::pair(Clock::now(), std::move(next));
  });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; }));
  const auto died = Clock::now();
  first.close();
  auto [granted, next] = waiting.get();
  EXPECT_GE(granted - died, 300ms);
  EXPECT_EQ(next.release_for(kSoon), std::error_code());
  EXPECT_EQ(tickets_and_marks("m"), 0U) << "a mark was left";
}

TEST_F(Holding, a_delay_that_is_on_is_known_to_who_will_not_wait) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  first.mutex("m", {.lock_delay = 1h}).lock();  // and never unlocks: it is gone with its object
  auto mine = first.mutex("m", {.lock_delay = 1h});
  auto lease = mine.acquire();
  first.close();
  auto theirs = second.mutex("m", {.lock_delay = 1h});
  EXPECT_FALSE(theirs.try_lock());
  EXPECT_FALSE(theirs.try_lock_for(100ms));
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 0; }));
  // Who does not ask for it is not kept waiting.
  auto careless = second.mutex("m");
  EXPECT_TRUE(careless.try_lock());
  careless.unlock();
}

// Whatever the bounds of the hand-over are: a late write of the one that lost it must be refused.
TEST_F(Holding, the_next_thread_after_a_maximum_has_a_larger_token) {
  auto client = connect({.hand_over = {.count = 64, .time = 1h}});
  auto first = client.mutex("m", {.max_hold = 200ms});
  auto second = client.mutex("m");
  const auto lease = first.acquire();
  const auto token = lease.token();
  auto next = second.try_acquire_for(kSoon);
  ASSERT_TRUE(next) << next.message();
  EXPECT_GT(next.lease().token(), token);
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
}

TEST_F(Holding, a_maximum_that_ends_a_hold_does_not_lift_its_delay) {
  HOLDFAST_NEEDS_FEATURE(family);
  constexpr auto kMaximum = 300ms;
  constexpr auto kDelay = 700ms;
  auto first = connect();
  auto second = connect();
  auto mine = first.mutex("m", {.max_hold = kMaximum, .lock_delay = kDelay});
  auto theirs = second.mutex("m", {.lock_delay = kDelay});
  const auto before = Clock::now();
  const auto lease = mine.acquire();
  auto next = theirs.try_acquire_for(kSoon);
  ASSERT_TRUE(next) << next.message();
  EXPECT_GE(Clock::now() - before, kMaximum + kDelay);
}

}  // namespace holdfast::testing
