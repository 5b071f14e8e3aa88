// docs/semantics.md, "Ownership".
#include <mutex>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Ownership = Conformance;

TEST_F(Ownership, the_same_thread_and_object_enters_again_and_releases_as_often) {
  auto client = connect();
  auto rival = connect();
  auto mutex = client.mutex("a");
  auto other = rival.mutex("a");
  mutex.lock();
  mutex.lock();
  mutex.lock();
  EXPECT_EQ(queue_length("a"), 1U);
  for (int left = 2; left > 0; --left) {
    EXPECT_FALSE(mutex.release());
    EXPECT_TRUE(mutex.is_held_by_this_thread());
    EXPECT_FALSE(other.try_lock());
  }
  EXPECT_FALSE(mutex.release());
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  EXPECT_TRUE(other.try_lock_for(kSoon));
  other.unlock();
}

TEST_F(Ownership, a_lease_of_a_hold_that_was_entered_again_has_the_same_token) {
  auto client = connect();
  auto mutex = client.mutex("a");
  auto outer = mutex.acquire();
  auto inner = mutex.acquire();
  EXPECT_NE(outer.token(), 0U);
  EXPECT_EQ(outer.token(), inner.token());
  EXPECT_EQ(outer.ticket(), inner.ticket());
  outer.release();
  EXPECT_TRUE(inner.is_held());
  EXPECT_EQ(queue_length("a"), 1U);
  EXPECT_FALSE(inner.release_for(kSoon));
  EXPECT_EQ(queue_length("a"), 0U);
}

TEST_F(Ownership, the_same_thread_waits_for_another_object_of_the_same_name) {
  auto client = connect();
  auto first = client.mutex("a");
  auto second = client.mutex("a");
  first.lock();
  EXPECT_FALSE(second.try_lock());
  EXPECT_FALSE(second.try_lock_for(50ms));
  first.unlock();
  EXPECT_TRUE(second.try_lock_for(kSoon));
  second.unlock();
}

TEST_F(Ownership, a_thread_that_does_not_own_cannot_release_and_changes_nothing) {
  auto client = connect();
  auto mutex = client.mutex("a");
  auto second = client.mutex("a");
  mutex.lock();
  std::thread([&] {
    EXPECT_EQ(mutex.release(), std::errc::operation_not_permitted);
    mutex.unlock();  // logs an error
    EXPECT_FALSE(mutex.is_held_by_this_thread());
  }).join();
  EXPECT_EQ(second.release(), std::errc::operation_not_permitted);
  EXPECT_TRUE(mutex.is_held_by_this_thread());
  EXPECT_EQ(queue_length("a"), 1U);
  EXPECT_FALSE(mutex.release());
}

// std::thread::id is given to the next thread when this one has ended.
TEST_F(Ownership, a_new_thread_does_not_inherit_what_a_thread_that_ended_held) {
  auto client = connect();
  auto mutex = client.mutex("a");
  Lease kept;
  std::thread::id old;
  std::thread([&] {
    kept = mutex.acquire();
    old = std::this_thread::get_id();
  }).join();
  bool reused = false;
  for (int i = 0; i < 100 && !reused; ++i) {
    std::thread([&] {
      reused = std::this_thread::get_id() == old;
      EXPECT_FALSE(mutex.is_held_by_this_thread());
      EXPECT_EQ(mutex.try_acquire().error(), Errc::timed_out);
      EXPECT_EQ(mutex.release(), Errc::not_owner);
    }).join();
  }
  EXPECT_TRUE(reused) << "no id was used twice: this shows nothing";
  EXPECT_TRUE(kept.is_held());
}

TEST_F(Ownership, releasing_what_was_never_acquired_is_an_error) {
  auto client = connect();
  auto mutex = client.mutex("a");
  EXPECT_EQ(mutex.release(), Errc::not_owner);
  auto holder = client.mutex("a");
  holder.lock();
  EXPECT_FALSE(mutex.try_lock_for(20ms));
  EXPECT_EQ(mutex.release(), Errc::not_owner);
  EXPECT_TRUE(holder.is_held_by_this_thread());
  holder.unlock();
}

TEST_F(Ownership, a_lease_is_not_released_by_the_mutex) {
  auto client = connect();
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  EXPECT_EQ(mutex.release(), Errc::not_owner);
  EXPECT_TRUE(lease.is_held());
}

TEST_F(Ownership, a_lease_may_be_moved_to_another_thread_and_released_there) {
  auto client = connect();
  auto mutex = client.mutex("a");
  std::thread([lease = mutex.acquire()]() mutable {
    EXPECT_TRUE(lease.is_held());
    EXPECT_FALSE(lease.release_for(kSoon));
  }).join();
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  EXPECT_EQ(queue_length("a"), 0U);
}

TEST_F(Ownership, a_lease_gives_back_when_it_is_destroyed_or_replaced) {
  auto client = connect();
  auto a = client.mutex("a");
  auto b = client.mutex("b");
  auto lease = a.acquire();
  lease = b.acquire();
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 0; }));
  EXPECT_EQ(queue_length("b"), 1U);
  { const auto gone = std::move(lease); }
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("b") == 0; }));
  EXPECT_EQ(lease.token(), 0U);  // NOLINT(bugprone-use-after-move): empty, by contract
  EXPECT_FALSE(lease.release());
}

TEST_F(Ownership, releasing_a_lease_twice_does_nothing_the_second_time) {
  auto client = connect();
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  EXPECT_FALSE(lease.release());
  auto next = mutex.acquire();
  EXPECT_FALSE(lease.release());
  EXPECT_FALSE(lease.is_held());
  EXPECT_TRUE(next.is_held());
}

TEST_F(Ownership, a_leases_mutex_may_go_first) {
  auto client = connect();
  Lease lease;
  {
    auto mutex = client.mutex("a");
    lease = mutex.acquire();
  }
  EXPECT_TRUE(lease.is_held());
  EXPECT_EQ(queue_length("a"), 1U);
  EXPECT_FALSE(lease.release_for(kSoon));
  EXPECT_EQ(queue_length("a"), 0U);
}

TEST_F(Ownership, destroying_a_locked_mutex_gives_the_lock_back) {
  auto client = connect();
  {
    auto mutex = client.mutex("a");
    mutex.lock();
    mutex.lock();
  }
  auto next = client.mutex("a");
  EXPECT_TRUE(next.try_lock_for(kSoon));
  next.unlock();
}

TEST_F(Ownership, a_non_reentrant_mutex_makes_its_holder_wait_and_any_thread_may_release) {
  auto client = connect();
  auto mutex = client.non_reentrant_mutex("a");
  mutex.lock();
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock_for(20ms));
  std::thread([&] { EXPECT_FALSE(mutex.release()); }).join();
  EXPECT_FALSE(mutex.is_held());
  EXPECT_EQ(mutex.release(), Errc::not_owner);
  EXPECT_TRUE(mutex.try_lock_for(kSoon));
  mutex.unlock();
}

// CURATOR-376: a release must not take away the hold of whoever comes next.
TEST_F(Ownership, two_threads_pass_a_non_reentrant_mutex_back_and_forth) {
  auto client = connect();
  auto mutex = client.non_reentrant_mutex("a");
  const auto play = [&] {
    for (int round = 0; round < 1'000; ++round) {
      mutex.lock();
      ASSERT_FALSE(mutex.release());
    }
  };
  std::thread other(play);
  play();
  other.join();
}

TEST_F(Ownership, the_standard_library_can_use_it) {
  auto client = connect();
  auto a = client.mutex("a");
  auto b = client.mutex("b");
  {
    const std::scoped_lock both(a, b);
    EXPECT_TRUE(a.is_held_by_this_thread());
    EXPECT_TRUE(b.is_held_by_this_thread());
  }
  std::unique_lock lock(a, std::defer_lock);
  EXPECT_TRUE(lock.try_lock_until(std::chrono::steady_clock::now() + kSoon));
  lock.unlock();
  EXPECT_TRUE(lock.try_lock_until(std::chrono::system_clock::now() + kSoon));
  EXPECT_TRUE(lock.owns_lock());
}

}  // namespace holdfast::testing
