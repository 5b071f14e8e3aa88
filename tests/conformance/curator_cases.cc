// What Curator's and kazoo's lock tests show, and what their bugs taught, where no test of ours had it yet. docs/bugs.md
// has the table.
#include <atomic>
#include <barrier>
#include <filesystem>
#include <future>
#include <iterator>
#include <limits>
#include <mutex>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using CuratorCases = Conformance;

std::ptrdiff_t entries_of(const char* directory) {
  return std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator());
}

// TestInterProcessMutexBase.testLocker
TEST_F(CuratorCases, a_scoped_lock_is_held_inside_and_free_after) {
  auto client = connect();
  auto rival = connect();
  auto mutex = client.mutex("a");
  auto other = rival.mutex("a");
  {
    const std::scoped_lock hold(mutex);
    EXPECT_TRUE(mutex.is_held_by_this_thread());
    EXPECT_FALSE(other.try_lock());
  }
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  EXPECT_TRUE(other.try_lock_for(kSoon));
  other.unlock();
}

// testReentrant2Threads, whose own assertion is never looked at.
TEST_F(CuratorCases, another_thread_does_not_get_in_while_the_holder_is_nested) {
  auto client = connect();
  auto mutex = client.mutex("a");
  mutex.lock();
  mutex.lock();
  std::promise<void> waiting;
  auto other = std::async(std::launch::async, [&] {
    EXPECT_FALSE(mutex.try_lock());
    waiting.set_value();
    mutex.lock();
    mutex.unlock();
  });
  waiting.get_future().wait();
  mutex.unlock();
  EXPECT_EQ(other.wait_for(100ms), std::future_status::timeout) << "let in after the inner release";
  mutex.unlock();
  EXPECT_EQ(other.wait_for(kSoon), std::future_status::ready);
}

// testWithNamespace, and CURATOR-626: without a name space the waiter was never woken.
TEST_F(CuratorCases, a_waiter_is_woken_with_a_name_space_and_without) {
  HOLDFAST_NEEDS(listeners);
  for (const std::string name_space : {"", "billing", "billing/eu"}) {
    auto first = connect({.name_space = name_space});
    auto second = connect({.name_space = name_space});
    auto mine = first.mutex("a");
    auto theirs = second.mutex("a");
    const auto name = name_space.empty() ? "a" : name_space + "/a";
    auto lease = mine.acquire();
    auto waiting = std::async(std::launch::async, [&] { return theirs.acquire(); });
    ASSERT_TRUE(eventually(kSoon, [&] { return queue_length(name) == 2 && world_->listeners() == 1; })) << name;
    EXPECT_FALSE(lease.release_for(kSoon));
    ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready) << name;
    EXPECT_TRUE(waiting.get().is_held());
    EXPECT_TRUE(eventually(kSoon, [&] { return queue_length(name) == 0; })) << name;
  }
}

// kazoo's test_lock_many_threads_no_block.
TEST_F(CuratorCases, of_many_who_try_at_once_exactly_one_gets_it) {
  constexpr int kClients = 4;
  constexpr int kThreadsEach = 3;
  for (int round = 0; round < 10; ++round) {
    std::vector<Client> clients;
    for (int i = 0; i < kClients; ++i) clients.push_back(connect());
    std::atomic<int> winners = 0;
    std::barrier at_once(kClients * kThreadsEach);
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < kClients * kThreadsEach; ++i) {
        threads.emplace_back([&, i] {
          auto mutex = clients[static_cast<std::size_t>(i % kClients)].mutex("a");
          at_once.arrive_and_wait();
          const bool won = mutex.try_lock();
          winners += won;
          at_once.arrive_and_wait();  // nobody lets go before everybody has tried
          if (won) mutex.unlock();
        });
      }
    }
    EXPECT_EQ(winners, 1);
    ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 0; })) << "a ghost of one that did not get it";
  }
}

// CURATOR-673, -677: callbacks that never came when the client was closed.
TEST_F(CuratorCases, closing_completes_every_acquire_that_is_pending) {
  HOLDFAST_NEEDS_FEATURE(order);
  constexpr std::size_t kNames = 5;
  constexpr std::size_t kWaitersEach = 8;
  auto holder = connect();
  std::vector<Lease> leases;
  for (std::size_t i = 0; i < kNames; ++i) leases.push_back(holder.mutex(std::to_string(i)).acquire());
  auto client = connect();
  std::vector<std::future<std::error_code>> pending;
  for (std::size_t i = 0; i < kNames * kWaitersEach; ++i) {
    pending.push_back(std::async(
        std::launch::async, [&, i] { return client.mutex(std::to_string(i % kNames)).try_acquire_for(1h).error(); }));
  }
  for (std::size_t i = 0; i < kNames; ++i) {
    ASSERT_TRUE(eventually(kSoon, [&] { return queue_length(std::to_string(i)) == 2; }));
  }
  client.close();
  for (auto& each : pending) {
    ASSERT_EQ(each.wait_for(kSoon), std::future_status::ready) << "never completed";
    EXPECT_EQ(each.get(), Errc::cancelled);
  }
  for (const auto& lease : leases) EXPECT_TRUE(lease.is_held());
  for (std::size_t i = 0; i < kNames; ++i) {
    EXPECT_TRUE(eventually(kSoon, [&] { return queue_length(std::to_string(i)) == 1; }));
  }
}

// CURATOR-468: a release inside a cancelled scope went to the background only.
TEST_F(CuratorCases, a_stop_request_after_the_grant_touches_neither_the_hold_nor_its_release) {
  auto client = connect();
  auto mutex = client.mutex("a");
  std::stop_source stop;
  auto lease = mutex.acquire(stop.get_token());
  stop.request_stop();
  EXPECT_TRUE(lease.is_held());
  EXPECT_FALSE(lease.lost().stop_requested());
  EXPECT_FALSE(lease.release_for(kSoon));
  EXPECT_EQ(queue_length("a"), 0U);
}

// CURATOR-607, -662: the node of a lock, for transactions that check it.
TEST_F(CuratorCases, the_ticket_of_a_lease_is_on_the_service_exactly_while_it_is_held) {
  auto client = connect();
  auto mutex = client.mutex("a");
  EXPECT_EQ(Lease().ticket(), "");
  auto first = mutex.acquire();
  ASSERT_EQ(queue_length("a"), 1U);
  const auto before = first.ticket();
  EXPECT_EQ(before, mutex.path() + "/" + world_->tickets("a").front());
  EXPECT_FALSE(first.release_for(kSoon));
  EXPECT_EQ(queue_length("a"), 0U);
  auto second = mutex.acquire();
  EXPECT_EQ(second.ticket(), mutex.path() + "/" + world_->tickets("a").front());
  EXPECT_NE(second.ticket(), before) << "a check of the old one would pass for the new one";
}

// CURATOR-495: a callback that waited for a lock stopped the connection's own thread, and with it the pings.
TEST_F(CuratorCases, callbacks_that_block_hold_up_nobody) {
  HOLDFAST_NEEDS(listeners);
  constexpr auto kSession = 2s;
  std::promise<void> go_on;
  const auto until_told = go_on.get_future().share();
  std::atomic<int> blocked = 0;
  const auto block = [&] {
    ++blocked;
    until_told.wait();
  };
  auto client = connect({.session_timeout = kSession, .listener = [&](ConnectionState) { block(); }});
  auto rival = connect();
  auto lost = client.mutex("lost").acquire();
  const std::stop_callback on_loss(lost.lost(), block);
  world_->remove_ticket("lost", world_->tickets("lost").front());
  ASSERT_TRUE(eventually(kSoon, [&] { return blocked == 2; }));

  // The listener and the callback sit and wait. The session lives on, and so does everything else.
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  const auto until = lease.valid_until();
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.valid_until() > until + kSession; }));
  EXPECT_TRUE(lease.is_held());
  auto theirs = rival.mutex("a");
  auto waiting = std::async(std::launch::async, [&] { return theirs.acquire(); });
  // To the ticket ahead; and the client, after a heartbeat, to its own.
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 2 && world_->listeners() == 2; }));
  EXPECT_FALSE(lease.release_for(kSoon));
  auto other = waiting.get();
  auto again = std::async(std::launch::async, [&] { return mutex.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 2 && world_->listeners() >= 2; }));
  EXPECT_FALSE(other.release());
  EXPECT_EQ(again.wait_for(kSoon), std::future_status::ready) << "the event was not heard";
  EXPECT_EQ(blocked, 2) << "they did not block";
  go_on.set_value();
}

// CURATOR-107, kazoo 9b0a793: watches on predecessors that were gone already. The clients live on, so nobody cleans up
// for them.
TEST_F(CuratorCases, a_thousand_contended_rounds_leave_no_listener_behind) {
  HOLDFAST_NEEDS(listeners);
  constexpr int kClients = 4;
  constexpr int kRounds = 250;
  std::vector<Client> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(connect({.hand_over = {.count = 0}}));
  std::atomic<int> contended = 0;
  {
    std::vector<std::jthread> threads;
    for (auto& client : clients) {
      threads.emplace_back([&] {
        auto mutex = client.mutex("a");
        for (int round = 0; round < kRounds; ++round) {
          if (!mutex.try_lock()) {
            ++contended;
            mutex.lock();
          }
          mutex.unlock();
        }
      });
    }
  }
  EXPECT_GT(contended, kClients * kRounds / 10) << "hardly anybody had to wait: this shows nothing";
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 0 && world_->listeners() == 0; }));
}

// CURATOR-527, -641: the predecessor goes between the look and the wait. Two clients that do nothing but pass it on.
TEST_F(CuratorCases, in_ten_thousand_rounds_no_wake_up_is_missed) {
  HOLDFAST_NEEDS_FEATURE(order);
  constexpr int kRounds = 5'000;
  auto a = connect({.hand_over = {.count = 0}});
  auto b = connect({.hand_over = {.count = 0}});
  Token last = 0;  // guarded by the lock itself
  int changes = 0;
  Client* before = nullptr;
  const auto play = [&](Client& client) {
    auto mutex = client.mutex("a");
    for (int round = 0; round < kRounds; ++round) {
      auto result = mutex.try_acquire_for(kSoon);
      ASSERT_TRUE(result) << "round " << round << ": " << result.message();
      ASSERT_GT(result.lease().token(), last);
      last = result.lease().token();
      changes += std::exchange(before, &client) != &client;
    }
  };
  auto other = std::async(std::launch::async, [&] { play(a); });
  play(b);
  other.get();
  EXPECT_GT(changes, kRounds / 10) << "they hardly met: this shows nothing";
}

// GH-1277: an executor was left behind by every client.
TEST_F(CuratorCases, a_thousand_clients_come_and_go_and_leave_neither_thread_nor_descriptor) {
  { auto warm = connect(); }
  const auto threads = entries_of("/proc/self/task");
  const auto descriptors = entries_of("/proc/self/fd");
  for (int i = 0; i < 1'000; ++i) {
    auto client = connect();
    if (i % 10 == 0) client.mutex("a").acquire().release();
  }
  // A thread that was joined may be listed for a moment longer.
  EXPECT_TRUE(eventually(kSoon, [&] { return entries_of("/proc/self/task") == threads; }));
  EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
  EXPECT_EQ(queue_length("a"), 0U);
}

// GH-1248: a long session timeout times a percentage overflowed. libzookeeper does the same: it takes two thirds of the
// timeout by doubling it first, and with more than half of 2^31 ms it would never connect.
TEST_F(CuratorCases, the_longest_session_timeout_may_be_asked_for) {
  auto client = connect({.session_timeout = std::chrono::milliseconds(std::numeric_limits<std::int32_t>::max())});
  auto rival = connect();
  auto mutex = client.mutex("a");
  auto theirs = rival.mutex("a");
  auto lease = mutex.acquire();
  EXPECT_GT(lease.valid_until(), Clock::now());
  EXPECT_TRUE(lease.is_held());
  EXPECT_FALSE(theirs.try_lock_for(300ms));
  EXPECT_TRUE(lease.is_held());
  EXPECT_FALSE(lease.lost().stop_requested());
  EXPECT_EQ(client.state(), ConnectionState::connected);
  EXPECT_FALSE(lease.release_for(kSoon));
  EXPECT_TRUE(theirs.try_lock_for(kSoon));
  theirs.unlock();
}

}  // namespace holdfast::testing
