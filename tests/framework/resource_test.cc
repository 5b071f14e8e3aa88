// The lock framework: LockRemoteResource and LockManager, in memory. stores_test.cc has the same walk on real stores.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "recorder.h"
#include "support/eventually.h"
#include "support/forked_child.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using Failure = LockRemoteResource::FailureType;

constexpr auto kSoon = 20s;
// A removed ticket is noticed with the next heartbeat, a sixth of this.
constexpr auto kSession = 3s;

class Framework : public ::testing::Test {
 protected:
  Client connect(std::vector<std::shared_ptr<LockHandler>> handlers = {}) {
    return Client::connect(url_, {.session_timeout = kSession, .handlers = std::move(handlers)});
  }

  static inline std::atomic<int> last_ = 0;
  const std::string url_ = "memory:framework-" + std::to_string(++last_);
  Client client_ = connect();
  Client watcher_ = Client::connect(url_);
  LockRemoteResource locks_{client_};
};

TEST_F(Framework, is_released_by_the_value_that_holds_and_by_no_other) {
  const auto result = locks_.try_acquire("orders/1", "a", kSoon);
  ASSERT_TRUE(result.is_success()) << result.message();
  EXPECT_FALSE(result.failure_type());
  EXPECT_GT(result.token(), 0U);
  EXPECT_FALSE(result.lost().stop_requested());
  EXPECT_EQ(locks_.release("orders/1", "b"), Errc::not_owner);
  EXPECT_EQ(locks_.release("orders/2", "a"), Errc::not_owner);
  EXPECT_TRUE(locks_.is_held("/orders/1", "a"));
  EXPECT_FALSE(locks_.is_held("orders/1", "b"));
  std::error_code released;
  std::jthread([&] { released = locks_.release("/orders/1", "a"); }).join();  // any thread
  EXPECT_EQ(released, std::error_code());
  EXPECT_EQ(locks_.release("orders/1", "a"), Errc::not_owner);
  EXPECT_FALSE(locks_.is_held("orders/1", "a"));
}

TEST_F(Framework, excludes_other_values_other_clients_and_the_same_value_again) {
  ASSERT_TRUE(locks_.try_acquire("orders/1", "a", kSoon));
  auto other_client = connect();
  LockRemoteResource others(other_client);
  EXPECT_EQ(locks_.try_acquire("orders/1", "b", 0s).failure_type(), Failure::time_out);
  EXPECT_EQ(locks_.try_acquire("orders/1", "a", 1ms).failure_type(), Failure::time_out);
  EXPECT_EQ(others.try_acquire("orders/1", "a", 1ms).failure_type(), Failure::time_out);
  EXPECT_FALSE(watcher_.mutex("orders/1").try_lock());
  EXPECT_EQ(locks_.held(), 1U);
}

TEST_F(Framework, passes_on_to_a_value_that_waits) {
  ASSERT_TRUE(locks_.try_acquire("orders/1", "a", kSoon));
  std::jthread waits([&] {
    EXPECT_TRUE(locks_.try_acquire("orders/1", "b", kSoon));
    EXPECT_EQ(locks_.release("orders/1", "b"), std::error_code());
  });
  EXPECT_EQ(locks_.release("orders/1", "a"), std::error_code());
}

TEST_F(Framework, says_why_it_failed_time_out) {
  const auto rival = watcher_.mutex("orders/1").acquire();
  const auto result = locks_.try_acquire("orders/1", "a", 1ms);
  EXPECT_EQ(result.failure_type(), Failure::time_out);
  EXPECT_EQ(result.error(), Errc::timed_out);
  EXPECT_TRUE(result.message().starts_with("timed out")) << result.message();
  EXPECT_EQ(result.exception(), nullptr);
  EXPECT_EQ(result.token(), 0U);
}

TEST_F(Framework, says_why_it_failed_custom) {
  auto client = connect({std::make_shared<NameRules>(NameRules::Patterns{.deny = {"secret"}})});
  LockRemoteResource locks(client);
  const auto result = locks.try_acquire("secret", "a", kSoon);
  EXPECT_EQ(result.failure_type(), Failure::custom);
  EXPECT_EQ(result.error(), Errc::refused);
  EXPECT_EQ(result.message(), "secret may not be locked by this client: its rules deny secret");
  EXPECT_EQ(result.exception(), nullptr);
}

TEST_F(Framework, says_why_it_failed_exception) {
  Notes notes;
  auto client = connect({std::make_shared<Recorder>("a", notes, Recorder::Throws::after_acquire)});
  LockRemoteResource locks(client);
  const auto thrown = locks.try_acquire("orders/1", "a", kSoon);
  EXPECT_EQ(thrown.failure_type(), Failure::exception);
  EXPECT_EQ(thrown.message(), "thrown by a");
  EXPECT_THROW(std::rethrow_exception(thrown.exception()), std::runtime_error);
  EXPECT_TRUE(eventually(kSoon, [&] { return watcher_.inspect("orders/1").tickets.empty(); }));
  EXPECT_EQ(locks.held(), 0U);

  const auto no_name = locks_.try_acquire("a//b", "a", kSoon);
  EXPECT_EQ(no_name.failure_type(), Failure::exception);
  EXPECT_EQ(no_name.error(), Errc::invalid_argument);
  EXPECT_EQ(locks_.try_acquire("orders/1", "", kSoon).message(), "a value of 0 bytes; it must have between 1 and 256");

  std::stop_source stop;
  stop.request_stop();
  const auto rival = watcher_.mutex("orders/1").acquire();
  const auto stopped = locks_.try_acquire("orders/1", "a", kSoon, stop.get_token());
  EXPECT_EQ(stopped.failure_type(), Failure::exception);
  EXPECT_EQ(stopped.error(), Errc::cancelled);
  EXPECT_THROW(std::rethrow_exception(stopped.exception()), Error);

  client_.close();
  EXPECT_EQ(locks_.try_acquire("orders/1", "a", kSoon).error(), Errc::cancelled);
}

TEST_F(Framework, says_that_a_hold_was_lost) {
  const auto result = locks_.try_acquire("orders/1", "a", kSoon);
  watcher_.revoke("orders/1", 0ms, Client::Force::yes);
  ASSERT_TRUE(eventually(kSoon, [&] { return result.lost().stop_requested(); }));
  EXPECT_FALSE(locks_.is_held("orders/1", "a"));
  EXPECT_TRUE(locks_.try_acquire("orders/1", "b", kSoon));
  EXPECT_EQ(locks_.release("orders/1", "a"), Errc::not_owner) << "forgotten, as another value has the name now";
  EXPECT_TRUE(locks_.is_held("orders/1", "b"));
  watcher_.revoke("orders/1", 0ms, Client::Force::yes);
  ASSERT_TRUE(eventually(kSoon, [&] { return !locks_.is_held("orders/1", "b"); }));
  EXPECT_EQ(locks_.release("orders/1", "b"), Errc::session_lost);
}

TEST_F(Framework, keeps_one_lock_object_for_each_name_and_not_more_than_its_bound) {
  LockRemoteResource locks(client_, 3);
  for (int i = 0; i < 10; ++i) {
    const auto name = "orders/" + std::to_string(i);
    ASSERT_TRUE(locks.try_acquire(name, "a", kSoon));
    ASSERT_EQ(locks.release(name, "a"), std::error_code());
    ASSERT_TRUE(locks.try_acquire(name, "a", kSoon));
    ASSERT_EQ(locks.release(name, "a"), std::error_code());
    ASSERT_EQ(locks.cached(), std::min<std::size_t>(static_cast<std::size_t>(i) + 1, 3));
  }
  for (const auto* name : {"a", "b", "c"}) ASSERT_TRUE(locks.try_acquire(name, "a", kSoon));
  const auto full = locks.try_acquire("d", "a", kSoon);
  EXPECT_EQ(full.failure_type(), Failure::custom);
  EXPECT_EQ(full.message(), "3 names are in use, and there is room for no more; d was not asked for");
  EXPECT_EQ(locks.release("b", "a"), std::error_code());
  EXPECT_TRUE(locks.try_acquire("d", "a", kSoon));
  EXPECT_TRUE(locks.is_held("a", "a")) << "what is held is never forgotten";
  EXPECT_TRUE(locks.is_held("c", "a"));
  // What was lost and never released does not take room for ever.
  watcher_.revoke("a", 0ms, Client::Force::yes);
  ASSERT_TRUE(eventually(kSoon, [&] { return !locks.is_held("a", "a"); }));
  EXPECT_TRUE(locks.try_acquire("e", "a", kSoon));
}

TEST_F(Framework, gives_everything_back_at_its_end) {
  {
    LockRemoteResource locks(client_);
    ASSERT_TRUE(locks.try_acquire("orders/1", "a", kSoon));
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return watcher_.inspect("orders/1").tickets.empty(); }));
}

TEST_F(Framework, holds_one_value_at_a_time_with_64_threads) {
  std::atomic<int> inside = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&, value = std::to_string(i)] {
      for (int round = 0; round < 10; ++round) {
        ASSERT_TRUE(locks_.try_acquire("orders/1", value, 10min));
        EXPECT_EQ(++inside, 1);
        --inside;
        ASSERT_EQ(locks_.release("orders/1", value), std::error_code());
      }
    });
  }
  threads.clear();
  EXPECT_EQ(locks_.cached(), 1U);
  EXPECT_EQ(locks_.held(), 0U);
}

TEST_F(Framework, has_handlers_around_it) {
  Notes notes;
  auto client = connect({std::make_shared<Recorder>("a", notes)});
  LockRemoteResource locks(client);
  ASSERT_TRUE(locks.try_acquire("orders/1", "v", kSoon));
  locks.release("orders/1", "v");
  EXPECT_EQ(notes.take(), (Told{"a: acquire orders/1", "a: acquired", "a: release orders/1", "a: released"}));
}

TEST_F(Framework, is_of_no_use_in_a_child_of_fork) {
  ASSERT_TRUE(locks_.try_acquire("orders/1", "a", kSoon));
  const auto child = [&] {
    const auto result = locks_.try_acquire("orders/2", "a", kSoon);
    return result.error() == Errc::forked && locks_.release("orders/1", "a") == Errc::forked ? 0 : 1;
  };
  EXPECT_EQ(in_child(child, ChildEnd::immediately), 0);
  EXPECT_TRUE(locks_.is_held("orders/1", "a"));
}

// ---------------------------------------------------------------------------------------------------------- LockManager

TEST_F(Framework, manager_hands_out_locks_that_exclude_each_other) {
  LockManager manager(client_);
  auto first = manager.lock("orders/1");
  auto second = manager.lock("orders/1");
  EXPECT_NE(first.value(), second.value());
  {
    std::unique_lock hold(first, kSoon);
    ASSERT_TRUE(hold);
    EXPECT_TRUE(first.is_held());
    EXPECT_FALSE(second.try_lock());
    EXPECT_EQ(second.release(), Errc::not_owner);
    EXPECT_FALSE(second.try_lock_for(1ms));
  }
  EXPECT_TRUE(second.try_lock_for(kSoon));
  second.unlock();
  const auto counts = manager.counts();
  EXPECT_EQ(counts.acquired, 2U);
  EXPECT_EQ(counts.released, 2U);
  EXPECT_EQ(counts.timed_out, 2U);
  EXPECT_EQ(counts.failed, 0U);
  EXPECT_EQ(counts.waiting, 0U);
  EXPECT_EQ(counts.held, 0U);
  EXPECT_EQ(counts.cached, 1U);
}

TEST_F(Framework, managers_threads_wait_behind_one_place_in_the_queue) {
  LockManager manager(client_);
  auto rival = std::make_optional(watcher_.mutex("orders/1").acquire());
  constexpr int kThreads = 8;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      auto lock = manager.lock("orders/1");
      const std::scoped_lock hold(lock);
    });
  }
  ASSERT_TRUE(eventually(
      kSoon, [&] { return manager.counts().waiting == kThreads && watcher_.inspect("orders/1").tickets.size() == 2; }));
  rival.reset();
  threads.clear();
  EXPECT_EQ(manager.counts().acquired, kThreads);
  EXPECT_EQ(manager.counts().released, kThreads);
}

TEST_F(Framework, managed_lock_that_is_destroyed_or_overwritten_gives_the_lock_back) {
  LockManager manager(client_);
  auto lock = manager.lock("orders/1");
  lock.lock();
  lock = manager.lock("orders/2");
  EXPECT_EQ(manager.counts().released, 1U);
  lock.lock();
  {
    const auto moved = std::move(lock);
    EXPECT_TRUE(moved.is_held());
    EXPECT_FALSE(lock.is_held());          // NOLINT(bugprone-use-after-move)
    EXPECT_THROW(lock.try_lock(), Error);  // NOLINT(bugprone-use-after-move)
  }
  EXPECT_EQ(manager.counts().released, 2U);
}

TEST_F(Framework, managed_lock_throws_what_is_no_time_out) {
  auto client = connect({std::make_shared<NameRules>(NameRules::Patterns{.deny = {"secret"}})});
  LockManager manager(client);
  auto secret = manager.lock("secret");
  EXPECT_THROW(secret.try_lock(), Error);
  EXPECT_EQ(secret.try_acquire(1s).failure_type(), Failure::custom);
  EXPECT_THROW(manager.lock("a//b").lock(), Error);
  EXPECT_EQ(manager.counts().failed, 3U);
}

}  // namespace
}  // namespace holdfast::testing
