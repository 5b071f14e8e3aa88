// What Curator's and kazoo's tests of read/write locks, semaphores and multi-locks show, and what their bugs taught, where no
// test of ours had it yet. docs/bugs.md has the table.
#include <atomic>
#include <barrier>
#include <future>
#include <mutex>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using CuratorFamily = Conformance;

// H8: Curator took the next lock although one had failed, and gave each of them the whole timeout.
TEST_F(CuratorFamily, a_multi_lock_that_fails_takes_nothing_more_and_has_one_deadline) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  const auto a = first.mutex("a").acquire();
  const auto b = first.mutex("b").acquire();
  auto multi = second.multi_lock({{"a"}, {"b"}, {"c"}});
  const auto begin = Clock::now();
  EXPECT_EQ(multi.try_acquire_for(300ms).error(), Errc::timed_out);
  EXPECT_LT(Clock::now() - begin, 600ms) << "more than one deadline";
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 1 && queue_length("b") == 1; }));
  EXPECT_EQ(queue_length("c"), 0U);
  EXPECT_EQ(multi.release(), Errc::not_owner);
}

// TestInterProcessMutexBase, as TestInterProcessMultiMutex runs it: testReentrant, testReentrant2Threads, test2Clients.
TEST_F(CuratorFamily, a_multi_lock_is_held_until_the_last_release_and_then_goes_to_another) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto mine = first.multi_lock({{"a"}, {"b"}});
  auto theirs = second.multi_lock({{"b"}, {"a"}});
  for (int i = 0; i < 3; ++i) mine.lock();
  EXPECT_FALSE(std::async(std::launch::async, [&] { return mine.try_lock_for(50ms); }).get());
  auto waiting = std::async(std::launch::async, [&] { return theirs.try_acquire_for(kSoon); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
    EXPECT_EQ(mine.release(), std::error_code());
  }
  EXPECT_TRUE(waiting.get());
  EXPECT_FALSE(mine.is_held_by_this_thread());
}

// testReentrantSingleLock.
TEST_F(CuratorFamily, threads_that_share_one_multi_lock_are_never_inside_together) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto multi = client.multi_lock({{"a"}, {"b"}});
  std::atomic<int> inside = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 10; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        const std::scoped_lock hold(multi);
        EXPECT_EQ(inside.fetch_add(1), 0);
        std::this_thread::yield();
        inside.fetch_sub(1);
      }
    });
  }
  threads.clear();
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") + queue_length("b") == 0; }));
}

// kazoo #213: those who would not wait were let in all together.
TEST_F(CuratorFamily, of_many_who_try_at_once_no_more_get_permits_than_there_are) {
  HOLDFAST_NEEDS_FEATURE(family);
  constexpr int kTriers = 8;
  constexpr int kPermits = 3;
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(connect());
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> winners = 0;
    std::barrier at_once(kTriers);
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < kTriers; ++i) {
        threads.emplace_back([&, i] {
          auto semaphore = clients[static_cast<std::size_t>(i) % clients.size()].semaphore("s", kPermits);
          at_once.arrive_and_wait();
          const auto result = semaphore.try_acquire();
          winners += result ? 1 : 0;
          at_once.arrive_and_wait();  // nobody lets go before everybody has tried
        });
      }
    }
    EXPECT_LE(winners, kPermits);
    EXPECT_GE(winners, 1);
    ASSERT_TRUE(eventually(kSoon, [&] {
      return queue_length(world_->semaphore("s").permits) + queue_length(world_->semaphore("s").turns) == 0;
    }));
  }
}

// kazoo #429, #430: a holder that wanted to release and a waiter that had the turn waited for each other.
TEST_F(CuratorFamily, a_permit_is_given_back_while_others_wait_for_it) {
  HOLDFAST_NEEDS_FEATURE(family);
  constexpr int kClients = 4;
  std::vector<Client> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(connect());
  std::atomic<int> done = 0;
  std::vector<std::jthread> threads;
  for (auto& client : clients) {
    threads.emplace_back([&] {
      auto semaphore = client.semaphore("s", 1);
      for (int i = 0; i < 20; ++i) {
        auto result = semaphore.try_acquire_for(20s);
        ASSERT_TRUE(result) << result.message();
        ASSERT_EQ(result.lease().release_for(kSoon), std::error_code());
        ++done;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(done, kClients * 20);
}

// kazoo #649, #650: a reader waited for writers that had come after it, and they for it.
TEST_F(CuratorFamily, a_reader_does_not_wait_for_writers_behind_it) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto third = connect();
  auto writing = first.shared_mutex("m").acquire();
  auto reader = std::async(std::launch::async, [&] { return second.shared_mutex("m").try_acquire_shared_for(kSoon); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; }));
  auto writer = std::async(std::launch::async, [&] { return third.shared_mutex("m").try_acquire_for(20s); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 3; }));
  writing.release();
  auto reading = reader.get();
  ASSERT_TRUE(reading) << reading.message();
  EXPECT_EQ(writer.wait_for(50ms), std::future_status::timeout);
  reading.lease().release();
  EXPECT_TRUE(writer.get());
}

// testGetParticipantNodes.
TEST_F(CuratorFamily, twenty_readers_and_eight_writers_are_all_shown) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect({.hand_over = {.count = 0}});
  auto other = connect({.hand_over = {.count = 0}});
  std::vector<Lease> reading;
  for (int i = 0; i < 20; ++i) reading.push_back((i % 2 == 0 ? client : other).shared_mutex("m").acquire_shared());
  // One gate serves one writer of a client at a time, so each has a client of its own.
  std::vector<Client> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(connect());
  std::stop_source stop;
  std::vector<std::future<std::error_code>> writing;
  for (auto& each : clients) {
    writing.push_back(std::async(
        std::launch::async, [&] { return each.shared_mutex("m").try_acquire_for(1min, stop.get_token()).error(); }));
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 28; }));
  std::size_t readers = 0;
  std::size_t writers = 0;
  std::size_t holders = 0;
  for (const auto& ticket : client.inspect("m").tickets) {
    readers += ticket.mode == LockMode::read ? 1 : 0;
    writers += ticket.mode == LockMode::write ? 1 : 0;
    holders += ticket.holds ? 1 : 0;
  }
  stop.request_stop();
  for (auto& each : writing) EXPECT_EQ(each.get(), Errc::cancelled);
  EXPECT_EQ(readers, 20U);
  EXPECT_EQ(writers, 8U);
  EXPECT_EQ(holders, 20U);
}

// testThreads: ten threads, one permit, all are served.
TEST_F(CuratorFamily, ten_threads_share_one_permit) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  std::atomic<int> inside = 0;
  std::atomic<int> served = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 10; ++t) {
    threads.emplace_back([&] {
      const auto result = client.semaphore("s", 1).try_acquire_for(20s);
      ASSERT_TRUE(result) << result.message();
      EXPECT_EQ(inside.fetch_add(1), 0);
      std::this_thread::yield();
      inside.fetch_sub(1);
      ++served;
    });
  }
  threads.clear();
  EXPECT_EQ(served, 10);
}

// CURATOR-337: what was not acquired cannot be given back, and takes nothing from who has it.
TEST_F(CuratorFamily, a_failed_acquire_leaves_nothing_to_release) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  const auto writing = first.shared_mutex("m").acquire();
  auto mutex = second.shared_mutex("m");
  EXPECT_FALSE(mutex.try_lock_shared_for(50ms));
  EXPECT_EQ(mutex.release_shared(), Errc::not_owner);
  EXPECT_EQ(mutex.release(), Errc::not_owner);
  const auto held = first.semaphore("s", 1).acquire();
  auto failed = second.semaphore("s", 1).try_acquire_for(50ms);
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.lease().release(), std::error_code());
  EXPECT_TRUE(writing.is_held());
  EXPECT_TRUE(held.is_held());
  EXPECT_TRUE(
      eventually(kSoon, [&] { return queue_length("m") == 1 && queue_length(world_->semaphore("s").permits) == 1; }));
}

}  // namespace holdfast::testing
