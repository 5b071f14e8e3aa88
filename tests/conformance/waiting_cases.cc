// docs/semantics.md, "Waiting": deadlines, cancellation, and what is left behind.
#include <future>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Waiting = Conformance;

TEST_F(Waiting, the_next_one_gets_it_after_a_release) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto first = connect();
  auto second = connect();
  auto mine = first.mutex("a");
  auto theirs = second.mutex("a");
  auto lease = mine.acquire();
  auto waiting = std::async(std::launch::async, [&] { return theirs.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 2; }));
  const Token before = lease.token();
  lease.release();
  auto next = waiting.get();
  EXPECT_GT(next.token(), before);
}

TEST_F(Waiting, a_timed_out_acquire_explains_itself_and_leaves_nothing) {
  HOLDFAST_NEEDS(listeners);
  auto first = connect({.purpose = "monthly run"});
  auto second = connect();
  auto mine = first.mutex("a");
  auto theirs = second.mutex("a");
  const auto lease = mine.acquire();
  const auto begin = Clock::now();
  const auto result = theirs.try_acquire_for(200ms);
  const auto took = Clock::now() - begin;
  EXPECT_GE(took, 200ms);
  EXPECT_FALSE(result);
  EXPECT_EQ(result.error(), std::errc::timed_out);
  EXPECT_EQ(result.ahead(), 1U);
  ASSERT_TRUE(result.holder());
  EXPECT_EQ(result.holder()->pid, ::getpid());
  EXPECT_EQ(result.holder()->purpose, "monthly run");
  EXPECT_NE(result.message().find("monthly run"), std::string::npos) << result.message();
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 1; }));
  EXPECT_TRUE(eventually(kSoon, [&] { return world_->listeners() == 0; }));
}

TEST_F(Waiting, who_times_out_further_back_is_told_of_the_holder_too) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto first = connect({.purpose = "the holder"});
  auto second = connect({.purpose = "the one between"});
  auto third = connect();
  auto a = first.mutex("a");
  auto b = second.mutex("a");
  auto c = third.mutex("a");
  auto lease = a.acquire();
  auto between = std::async(std::launch::async, [&] { return b.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 2; }));
  const auto result = c.try_acquire_for(300ms);
  EXPECT_EQ(result.ahead(), 2U);
  ASSERT_TRUE(result.holder());
  EXPECT_EQ(result.holder()->purpose, "the holder");
  lease.release();
  EXPECT_TRUE(between.get().is_held());
}

TEST_F(Waiting, a_local_waiter_is_told_of_the_local_holder) {
  auto client = connect({.purpose = "both of us"});
  auto a = client.mutex("a");
  auto b = client.mutex("a");
  const auto lease = a.acquire();
  const auto result = b.try_acquire_for(20ms);
  EXPECT_EQ(result.error(), Errc::timed_out);
  EXPECT_EQ(result.ahead(), 1U);
  ASSERT_TRUE(result.holder());
  EXPECT_EQ(result.holder()->purpose, "both of us");
}

TEST_F(Waiting, trying_a_busy_lock_fails_at_once_and_leaves_nothing) {
  auto first = connect();
  auto second = connect();
  auto mine = first.mutex("a");
  auto theirs = second.mutex("a");
  auto lease = mine.acquire();
  EXPECT_FALSE(theirs.try_lock());
  EXPECT_FALSE(theirs.try_lock_for(0ms));
  const auto result = theirs.try_acquire();
  EXPECT_EQ(result.error(), Errc::timed_out);
  EXPECT_EQ(result.ahead(), 1U);
  EXPECT_EQ(queue_length("a"), 1U);
  lease.release_for(kSoon);
  EXPECT_TRUE(theirs.try_lock());
  theirs.unlock();
}

TEST_F(Waiting, a_stop_request_ends_the_wait_and_leaves_nothing) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto first = connect();
  auto second = connect();
  auto mine = first.mutex("a");
  auto theirs = second.mutex("a");
  const auto lease = mine.acquire();
  std::stop_source stop;
  auto timed = std::async(std::launch::async, [&] { return theirs.try_acquire_for(1h, stop.get_token()); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 2; }));
  stop.request_stop();
  EXPECT_EQ(timed.get().error(), std::errc::operation_canceled);
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 1; }));
  EXPECT_THROW((void)theirs.acquire(stop.get_token()), Error);
  EXPECT_TRUE(stop.stop_requested());  // still observable by whoever else looks at it
}

TEST_F(Waiting, who_leaves_in_mid_queue_does_not_hold_up_the_one_behind) {
  HOLDFAST_NEEDS(listeners);
  auto a = connect();
  auto b = connect();
  auto c = connect();
  auto first = a.mutex("m");
  auto second = b.mutex("m");
  auto third = c.mutex("m");
  auto lease = first.acquire();
  std::stop_source stop;
  auto leaving = std::async(std::launch::async, [&] { return second.try_acquire_for(1h, stop.get_token()); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; }));
  auto staying = std::async(std::launch::async, [&] { return third.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 3 && world_->listeners() == 2; }));
  stop.request_stop();
  EXPECT_FALSE(leaving.get());
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2 && world_->listeners() == 1; }));
  EXPECT_EQ(staying.wait_for(100ms), std::future_status::timeout);  // the holder is still there
  lease.release();
  ASSERT_EQ(staying.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(staying.get().is_held());
}

TEST_F(Waiting, closing_the_client_wakes_its_waiters_and_ends_its_leases) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto a = connect();
  auto b = connect();
  auto held_elsewhere = a.mutex("a");
  auto lease = held_elsewhere.acquire();
  auto waiting = b.mutex("a");
  auto holding = b.mutex("b");
  auto lost = holding.acquire();
  auto waiter = std::async(std::launch::async, [&] { return waiting.try_acquire_for(1h); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 2; }));
  b.close();
  ASSERT_EQ(waiter.wait_for(kSoon), std::future_status::ready);
  EXPECT_EQ(waiter.get().error(), std::errc::operation_canceled);
  EXPECT_TRUE(lost.lost().stop_requested());
  EXPECT_FALSE(lost.is_held());
  EXPECT_EQ(lost.release(), Errc::session_lost);
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 1 && queue_length("b") == 0; }));
  EXPECT_EQ(waiting.try_acquire().error(), Errc::cancelled);
  EXPECT_THROW(waiting.lock(), Error);
  EXPECT_TRUE(lease.is_held());
}

TEST_F(Waiting, a_client_may_be_closed_from_its_own_callbacks) {
  auto client = std::make_unique<Client>(connect());
  auto mutex = client->mutex("a");
  auto lease = mutex.acquire();
  std::promise<void> closed;
  const std::stop_callback on_loss(lease.lost(), [&] {
    client->close();
    closed.set_value();
  });
  world_->remove_ticket("a", world_->tickets("a").front());
  EXPECT_EQ(closed.get_future().wait_for(kSoon), std::future_status::ready);
}

TEST_F(Waiting, locks_of_different_names_do_not_disturb_each_other) {
  auto client = connect();
  auto outer = client.mutex("orders");
  auto inner = client.mutex("orders/1");
  auto sibling = client.mutex("orders/2");
  const auto a = inner.acquire();
  const auto b = sibling.acquire();
  EXPECT_TRUE(a.is_held());
  EXPECT_TRUE(b.is_held());
  // A lock below a lock is no ticket of it.
  EXPECT_TRUE(outer.try_lock());
  outer.unlock();
}

}  // namespace holdfast::testing
