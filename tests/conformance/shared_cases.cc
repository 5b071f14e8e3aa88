// docs/semantics.md, "Reading and writing": SharedMutex.
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Sharing = Conformance;

TEST_F(Sharing, readers_of_different_clients_hold_together) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto a = first.shared_mutex("m");
  auto b = second.shared_mutex("m");
  const auto mine = a.acquire_shared();
  const auto theirs = b.try_acquire_shared_for(kSoon);
  ASSERT_TRUE(theirs) << theirs.message();
  EXPECT_TRUE(mine.is_held());
  auto writer = second.shared_mutex("m");
  EXPECT_FALSE(writer.try_lock());
}

TEST_F(Sharing, a_writer_is_alone) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto a = first.shared_mutex("m");
  auto b = second.shared_mutex("m");
  auto writing = a.acquire();
  EXPECT_EQ(b.try_acquire_shared().error(), Errc::timed_out);
  EXPECT_EQ(b.try_acquire_shared_for(100ms).error(), Errc::timed_out);
  EXPECT_EQ(b.try_acquire_for(100ms).error(), Errc::timed_out);
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 1; }));
  writing.release();
  EXPECT_TRUE(b.try_acquire_shared_for(kSoon));
}

TEST_F(Sharing, works_with_the_guards_of_std) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto mutex = client.shared_mutex("m");
  {
    const std::unique_lock writing(mutex);
    EXPECT_TRUE(mutex.is_held_by_this_thread());
  }
  {
    const std::shared_lock reading(mutex, 1s);
    EXPECT_TRUE(reading.owns_lock());
    EXPECT_TRUE(mutex.is_shared_by_this_thread());
    EXPECT_FALSE(mutex.is_held_by_this_thread());
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 0; }));
}

TEST_F(Sharing, readers_behind_a_waiting_writer_wait_for_it) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto a = connect();
  auto b = connect();
  auto c = connect();
  auto first = a.shared_mutex("m");
  auto writer = b.shared_mutex("m");
  auto late = c.shared_mutex("m");
  auto reading = first.acquire_shared();
  auto writing = std::async(std::launch::async, [&] { return writer.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; }));
  auto reading_late = std::async(std::launch::async, [&] { return late.acquire_shared(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 3; }));
  EXPECT_EQ(reading_late.wait_for(100ms), std::future_status::timeout);
  reading.release();
  auto alone = writing.get();
  EXPECT_EQ(reading_late.wait_for(50ms), std::future_status::timeout);
  alone.release();
  EXPECT_TRUE(reading_late.get().is_held());
}

// The same among threads of one client: they have one gate.
TEST_F(Sharing, threads_of_one_client_keep_to_the_same_order) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto mutex = client.shared_mutex("m");
  auto reading = mutex.acquire_shared();
  auto writing = std::async(std::launch::async, [&] { return mutex.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; }));
  auto reading_late = std::async(std::launch::async, [&] { return mutex.acquire_shared(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 3; }));
  EXPECT_EQ(writing.wait_for(50ms), std::future_status::timeout);
  reading.release();
  auto alone = writing.get();
  EXPECT_EQ(reading_late.wait_for(50ms), std::future_status::timeout);
  alone.release();
  EXPECT_TRUE(reading_late.get().is_held());
}

TEST_F(Sharing, readers_of_one_client_share_a_ticket_within_the_bounds_of_hand_over) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect({.hand_over = {.count = 2, .time = 1h}});
  auto a = client.shared_mutex("m");
  auto b = client.shared_mutex("m");
  auto c = client.shared_mutex("m");
  auto d = client.shared_mutex("m");
  auto first = a.acquire_shared();
  auto second = b.acquire_shared();
  EXPECT_EQ(second.token(), first.token());
  EXPECT_EQ(queue_length("m"), 1U);
  auto third = c.acquire_shared();
  EXPECT_EQ(third.token(), first.token());
  auto fourth = d.acquire_shared();  // one too many
  EXPECT_GT(fourth.token(), first.token());
  EXPECT_EQ(queue_length("m"), 2U);
  first.release_for(kSoon);
  second.release_for(kSoon);
  EXPECT_EQ(queue_length("m"), 2U);
  third.release_for(kSoon);
  EXPECT_EQ(queue_length("m"), 1U);
}

TEST_F(Sharing, both_sides_are_reentrant) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto mutex = client.shared_mutex("m");
  mutex.lock_shared();
  mutex.lock_shared();
  mutex.unlock_shared();
  EXPECT_TRUE(mutex.is_shared_by_this_thread());
  mutex.unlock_shared();
  EXPECT_FALSE(mutex.is_shared_by_this_thread());
  EXPECT_EQ(mutex.release_shared(), Errc::not_owner);
  mutex.lock();
  mutex.lock();
  mutex.unlock();
  EXPECT_TRUE(mutex.is_held_by_this_thread());
  mutex.unlock();
  EXPECT_EQ(mutex.release(), Errc::not_owner);
}

// Curator: testThatUpgradingIsDisallowed; there it waits for itself until it times out.
TEST_F(Sharing, reading_cannot_become_writing) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto mutex = client.shared_mutex("m");
  mutex.lock_shared();
  const auto result = mutex.try_acquire_for(1h);
  EXPECT_EQ(result.error(), std::errc::resource_deadlock_would_occur);
  EXPECT_THROW(mutex.lock(), Error);
  EXPECT_EQ(queue_length("m"), 1U);
  mutex.unlock_shared();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

// Curator: testDowngrading.
TEST_F(Sharing, writing_can_become_reading) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto mine = first.shared_mutex("m");
  auto theirs = second.shared_mutex("m");
  mine.lock();
  EXPECT_TRUE(mine.try_lock_shared());
  EXPECT_FALSE(theirs.try_lock_shared());
  mine.unlock();
  EXPECT_TRUE(mine.is_shared_by_this_thread());
  EXPECT_TRUE(theirs.try_lock_shared_for(kSoon));
  theirs.unlock_shared();
  mine.unlock_shared();
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 0; }));
}

// Curator: testContendingDowngrading (CURATOR-621).
TEST_F(Sharing, a_waiting_writer_stays_out_when_writing_becomes_reading) {
  HOLDFAST_NEEDS(listeners);
  for (const bool same_client : {false, true}) {
    auto first = connect();
    auto second = connect();
    auto mine = first.shared_mutex("m");
    auto theirs = (same_client ? first : second).shared_mutex("m");
    auto writing = mine.acquire();
    auto waiting = std::async(std::launch::async, [&] { return theirs.acquire(); });
    if (!same_client) {
      ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2 && world_->listeners() == 1; }));
    }
    auto reading = mine.acquire_shared();
    writing.release_for(kSoon);
    EXPECT_EQ(waiting.wait_for(200ms), std::future_status::timeout) << "a writer beside a reader";
    EXPECT_TRUE(reading.is_held());
    reading.release();
    ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
    waiting.get().release_for(kSoon);
  }
}

// Curator: testThatDowngradingRespectsThreads.
TEST_F(Sharing, only_the_writer_itself_may_read_meanwhile) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto mutex = client.shared_mutex("m");
  mutex.lock();
  EXPECT_FALSE(std::async(std::launch::async, [&] { return mutex.try_lock_shared_for(100ms); }).get());
  mutex.unlock();
}

TEST_F(Sharing, giving_up_while_waiting_leaves_nothing) {
  HOLDFAST_NEEDS(listeners);
  auto first = connect();
  auto second = connect();
  auto a = first.shared_mutex("m");
  auto b = second.shared_mutex("m");
  auto writing = a.acquire();
  std::stop_source stop;
  auto reader = std::async(std::launch::async, [&] { return b.try_acquire_shared_for(1h, stop.get_token()); });
  auto writer = std::async(std::launch::async, [&] { return b.try_acquire_for(1h, stop.get_token()); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 3; }));
  stop.request_stop();
  EXPECT_EQ(reader.get().error(), Errc::cancelled);
  EXPECT_EQ(writer.get().error(), Errc::cancelled);
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 1 && world_->listeners() == 0; }));
}

// Two of one client listen to one ticket; one of them gives up. The other must still be told.
TEST_F(Sharing, who_gives_up_does_not_make_others_deaf) {
  HOLDFAST_NEEDS(listeners);
  auto first = connect();
  auto second = connect({.hand_over = {.count = 0}});
  auto a = first.shared_mutex("m");
  auto b = second.shared_mutex("m");
  auto c = second.shared_mutex("m");
  auto writing = a.acquire();
  std::stop_source stop;
  auto leaving = std::async(std::launch::async, [&] { return b.try_acquire_shared_for(1h, stop.get_token()); });
  auto staying = std::async(std::launch::async, [&] { return c.acquire_shared(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 3 && world_->listeners() >= 1; }));
  stop.request_stop();
  EXPECT_FALSE(leaving.get());
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; }));
  writing.release();
  ASSERT_EQ(staying.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(staying.get().is_held());
}

// Curator does not promise it; a queue of ours is one queue.
TEST_F(Sharing, excludes_a_mutex_of_the_same_name) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto shared = first.shared_mutex("m");
  auto mutex = second.mutex("m");
  {
    const auto reading = shared.acquire_shared();
    EXPECT_FALSE(mutex.try_lock_for(50ms));
  }
  ASSERT_TRUE(mutex.try_lock_for(kSoon));
  EXPECT_FALSE(shared.try_lock_shared_for(50ms));
  EXPECT_FALSE(shared.try_lock_for(50ms));
  mutex.unlock();
}

// Curator: testBasic.
TEST_F(Sharing, a_crowd_of_readers_and_writers_never_mixes) {
  HOLDFAST_NEEDS(listeners);
  std::atomic<int> readers = 0;
  std::atomic<int> writers = 0;
  std::atomic<int> most_readers = 0;
  std::atomic<bool> mixed = false;
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(connect());
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      auto mutex = clients[static_cast<std::size_t>(t) % clients.size()].shared_mutex("m");
      for (int i = 0; i < 25; ++i) {
        if ((i + t) % 5 == 0) {
          const std::unique_lock lock(mutex);
          mixed = mixed || ++writers > 1 || readers > 0;
          std::this_thread::yield();
          --writers;
        } else {
          const std::shared_lock lock(mutex);
          const int now = ++readers;
          mixed = mixed || writers > 0;
          for (int seen = most_readers; now > seen && !most_readers.compare_exchange_weak(seen, now);) {
          }
          std::this_thread::yield();
          --readers;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(mixed);
  EXPECT_GT(most_readers, 1);
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 0 && world_->listeners() == 0; }));
}

// CURATOR-211, -307.
TEST_F(Sharing, a_waiting_reader_whose_ticket_was_removed_queues_again) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect({.session_timeout = 2s});
  auto second = connect({.session_timeout = 2s});
  auto a = first.shared_mutex("m");
  auto b = second.shared_mutex("m");
  auto writing = a.acquire();
  auto waiting = std::async(std::launch::async, [&] { return b.acquire_shared(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; }));
  const auto removed = world_->tickets("m").back();
  world_->remove_ticket("m", removed);
  ASSERT_TRUE(eventually(kSoon, [&] {
    const auto tickets = world_->tickets("m");
    return tickets.size() == 2 && tickets.back() != removed;
  }));
  writing.release();
  EXPECT_TRUE(waiting.get().is_held());
}

}  // namespace holdfast::testing
