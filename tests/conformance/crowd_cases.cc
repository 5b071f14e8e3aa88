// docs/semantics.md, "Exclusion and order": many who want one name.
#include <atomic>
#include <future>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

class Crowd : public Conformance {
 protected:
  // Fails the case if anybody else is inside at the same time.
  void visit() {
    EXPECT_EQ(inside_.fetch_add(1), 0) << "two inside";
    std::this_thread::yield();
    inside_.fetch_sub(1);
    ++visits_;
  }

  std::atomic<int> inside_ = 0;
  std::atomic<int> visits_ = 0;
};

TEST_F(Crowd, threads_that_share_one_object_are_never_inside_together) {
  auto client = connect();
  auto mutex = client.mutex("a");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        mutex.lock();
        mutex.lock();
        visit();
        mutex.unlock();
        mutex.unlock();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(visits_, 500);
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 0; }));
}

TEST_F(Crowd, clients_are_never_inside_together) {
  HOLDFAST_NEEDS(listeners);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      auto client = connect();
      auto mutex = client.mutex("a");
      for (int round = 0; round < 25; ++round) {
        mutex.lock();
        visit();
        mutex.unlock();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(visits_, 200);
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 0 && world_->listeners() == 0; }));
}

TEST_F(Crowd, clients_are_served_in_the_order_they_came) {
  HOLDFAST_NEEDS_FEATURE(order);
  constexpr int kClients = 8;
  auto holder = connect();
  auto held = holder.mutex("a");
  auto lease = held.acquire();
  std::mutex guard;
  std::vector<int> order;
  std::vector<Token> tokens;
  std::vector<Client> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(connect());
  std::vector<std::jthread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      auto mutex = clients[static_cast<std::size_t>(i)].mutex("a");
      auto mine = mutex.acquire();
      const std::lock_guard lock(guard);
      order.push_back(i);
      tokens.push_back(mine.token());
    });
    ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == static_cast<std::size_t>(i) + 2; }));
  }
  lease.release();
  threads.clear();
  ASSERT_EQ(order.size(), static_cast<std::size_t>(kClients));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(std::adjacent_find(tokens.begin(), tokens.end(), std::greater_equal<>()), tokens.end());
}

TEST_F(Crowd, every_waiter_listens_to_exactly_the_one_before_it) {
  HOLDFAST_NEEDS(listeners);
  auto holder = connect();
  auto held = holder.mutex("a");
  auto lease = held.acquire();
  std::vector<Client> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(connect());
  std::vector<std::jthread> threads;
  for (auto& client : clients) {
    threads.emplace_back([&client] { (void)client.mutex("a").acquire(); });
  }
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 7 && world_->listeners() == 6; }));
  lease.release();
  threads.clear();
  EXPECT_TRUE(eventually(kSoon, [&] { return world_->listeners() == 0; }));
}

TEST_F(Crowd, threads_of_one_client_share_one_ticket_up_to_the_bound) {
  auto client = connect({.hand_over = {.count = 3, .time = 1h}});
  auto mutex = client.non_reentrant_mutex("a");
  mutex.lock();
  std::mutex guard;
  std::vector<Token> tokens;
  std::vector<std::jthread> threads;
  std::atomic<int> ready = 0;
  for (int i = 0; i < 9; ++i) {
    threads.emplace_back([&] {
      ++ready;
      auto lease = mutex.acquire();
      const std::lock_guard lock(guard);
      tokens.push_back(lease.token());
    });
  }
  ASSERT_TRUE(eventually(kSoon, [&] { return ready == 9; }));
  EXPECT_EQ(queue_length("a"), 1U);
  mutex.unlock();
  threads.clear();
  ASSERT_EQ(tokens.size(), 9U);
  // No ticket serves more than 1 + 3 holds, and tokens never go back.
  EXPECT_TRUE(std::is_sorted(tokens.begin(), tokens.end()));
  for (const auto token : tokens) EXPECT_LE(std::count(tokens.begin(), tokens.end(), token), 4);
}

TEST_F(Crowd, a_hand_over_bound_of_zero_gives_every_hold_its_own_ticket) {
  auto client = connect({.hand_over = {.count = 0}});
  auto mutex = client.non_reentrant_mutex("a");
  std::mutex guard;
  std::vector<Token> tokens;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      auto lease = mutex.acquire();
      const std::lock_guard lock(guard);
      tokens.push_back(lease.token());
    });
  }
  threads.clear();
  ASSERT_EQ(tokens.size(), 6U);
  EXPECT_EQ(std::adjacent_find(tokens.begin(), tokens.end(), std::greater_equal<>()), tokens.end());
}

TEST_F(Crowd, local_hand_overs_do_not_starve_another_client) {
  auto greedy = connect({.hand_over = {.count = 4, .time = 1h}});
  auto modest = connect();
  auto mutex = greedy.non_reentrant_mutex("a");
  std::atomic<bool> enough = false;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!enough) {
        const std::lock_guard lock(mutex);
        visit();
      }
    });
  }
  ASSERT_TRUE(eventually(kSoon, [&] { return visits_ > 0; })) << "nobody is greedy yet";
  auto other = modest.mutex("a");
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(other.try_lock_for(kSoon));
    visit();
    other.unlock();
  }
  enough = true;
  threads.clear();
  EXPECT_GT(visits_, 10);
}

}  // namespace holdfast::testing
