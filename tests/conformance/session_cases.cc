// docs/semantics.md, "Loss": what a holder is told, and when.
#include <condition_variable>
#include <future>
#include <mutex>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Loss = Conformance;

TEST_F(Loss, a_lease_is_valid_for_a_while_and_longer_after_a_heartbeat) {
  auto client = connect({.session_timeout = 2s});
  auto mutex = client.mutex("a");
  const auto lease = mutex.acquire();
  const auto first = lease.valid_until();
  EXPECT_GT(first, Clock::now());
  EXPECT_LE(first, Clock::now() + 2s);
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.valid_until() > first; }));
  EXPECT_FALSE(lease.lost().stop_requested());
}

TEST_F(Loss, a_holder_whose_ticket_was_removed_is_told_within_a_heartbeat) {
  auto client = connect({.session_timeout = 2s});
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  std::promise<void> told;
  const std::stop_callback on_loss(lease.lost(), [&] { told.set_value(); });
  world_->remove_ticket("a", world_->tickets("a").front());
  ASSERT_EQ(told.get_future().wait_for(kSoon), std::future_status::ready);
  EXPECT_FALSE(lease.is_held());
  EXPECT_LE(lease.valid_until(), Clock::now());
  EXPECT_EQ(lease.release(), Errc::session_lost);
  // The session is as good as ever.
  EXPECT_TRUE(mutex.try_lock_for(kSoon));
  mutex.unlock();
}

TEST_F(Loss, a_lost_hold_cannot_be_entered_again_until_it_is_released) {
  auto client = connect({.session_timeout = 2s});
  auto mutex = client.mutex("a");
  mutex.lock();
  auto lease = mutex.acquire();
  world_->remove_ticket("a", world_->tickets("a").front());
  ASSERT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  EXPECT_EQ(mutex.try_acquire().error(), Errc::session_lost);
  EXPECT_THROW(mutex.lock(), Error);
  EXPECT_EQ(lease.release(), Errc::session_lost);
  EXPECT_EQ(mutex.try_acquire().error(), Errc::session_lost);
  mutex.unlock();  // noexcept, also now
  auto again = mutex.acquire();
  EXPECT_TRUE(again.is_held());
}

TEST_F(Loss, a_waiter_whose_ticket_was_removed_queues_again) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto a = connect({.session_timeout = 2s});
  auto b = connect({.session_timeout = 2s});
  auto first = a.mutex("m");
  auto second = b.mutex("m");
  auto lease = first.acquire();
  auto waiting = std::async(std::launch::async, [&] { return second.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; }));
  const auto removed = world_->tickets("m").back();
  world_->remove_ticket("m", removed);
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2 && world_->tickets("m").back() != removed; }));
  lease.release();
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get().is_held());
}

TEST_F(Loss, local_waiters_go_on_after_the_holder_lost_it) {
  auto client = connect({.session_timeout = 2s});
  auto mutex = client.non_reentrant_mutex("a");
  auto lease = mutex.acquire();
  auto waiting = std::async(std::launch::async, [&] { return mutex.acquire(); });
  world_->remove_ticket("a", world_->tickets("a").front());
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  auto next = waiting.get();
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  EXPECT_GT(next.token(), lease.token());
  EXPECT_EQ(lease.release(), Errc::session_lost);
  EXPECT_TRUE(next.is_held());
}

TEST_F(Loss, the_listener_hears_of_the_first_connection_and_of_the_end) {
  std::vector<ConnectionState> heard;  // by one thread of the client, which close() joins
  auto client = connect({.listener = [&](ConnectionState state) { heard.push_back(state); }});
  EXPECT_EQ(client.state(), ConnectionState::connected);
  client.close();
  EXPECT_EQ(heard, (std::vector{ConnectionState::connected, ConnectionState::closed}));
  EXPECT_EQ(client.state(), ConnectionState::closed);
}

TEST_F(Loss, a_client_may_be_destroyed_by_its_own_listener) {
  std::unique_ptr<Client> client;
  std::promise<void> stored;
  std::promise<void> destroyed;
  client = std::make_unique<Client>(connect({.listener = [&](ConnectionState state) {
    if (state != ConnectionState::connected) return;
    stored.get_future().wait();
    client.reset();
    destroyed.set_value();
  }}));
  auto mutex = client->mutex("a");
  auto lease = mutex.acquire();
  stored.set_value();
  EXPECT_EQ(destroyed.get_future().wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  EXPECT_EQ(lease.release(), Errc::session_lost);
  EXPECT_EQ(mutex.try_acquire().error(), Errc::cancelled);
}

TEST_F(Loss, who_closes_second_waits_for_the_first) {
  auto client = connect();
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  auto other = std::async(std::launch::async, [&] { client.close(); });
  client.close();
  EXPECT_TRUE(lease.lost().stop_requested());
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 0; }));
}

TEST_F(Loss, a_fence_refuses_the_holder_before) {
  auto client = connect();
  auto mutex = client.mutex("a");
  auto first = mutex.acquire();
  const auto late = first.token();
  first.release();
  auto second = mutex.acquire();
  Fence fence;
  EXPECT_TRUE(fence.admit(late));
  EXPECT_TRUE(fence.admit(second.token()));
  EXPECT_FALSE(fence.admit(late));
}

TEST_F(Loss, names_live_below_the_name_space) {
  auto inside = connect({.name_space = "billing"});
  auto outside = connect();
  auto a = inside.mutex("orders/1");
  auto b = outside.mutex("billing/orders/1");
  EXPECT_EQ(a.path(), b.path());
  auto lease = a.acquire();
  EXPECT_FALSE(b.try_lock());
  EXPECT_EQ(queue_length("billing/orders/1"), 1U);
  EXPECT_TRUE(lease.ticket().starts_with(a.path() + "/")) << lease.ticket();
}

}  // namespace holdfast::testing
