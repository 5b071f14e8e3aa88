// docs/semantics.md, "Many names at once": MultiLock.
#include <future>
#include <mutex>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Several = Conformance;
using Kind = LockItem::Kind;

TEST_F(Several, names_are_held_together_with_one_token) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto multi = first.multi_lock({{"a"}, {"b"}, {"c"}});
  auto a = second.mutex("a");
  auto c = second.mutex("c");
  auto lease = multi.acquire();
  EXPECT_GT(lease.token(), 0U);
  for (const auto* name : {"a", "b", "c"}) EXPECT_EQ(queue_length(name), 1U) << name;
  EXPECT_FALSE(a.try_lock());
  EXPECT_FALSE(c.try_lock_for(50ms));
  EXPECT_EQ(lease.release_for(kSoon), std::error_code());
  for (const auto* name : {"a", "b", "c"}) EXPECT_EQ(queue_length(name), 0U) << name;
  const auto after = a.acquire();
  EXPECT_GT(after.token(), lease.token());
}

TEST_F(Several, names_are_given_up_together_when_time_runs_out) {
  HOLDFAST_NEEDS(listeners);
  auto first = connect();
  auto second = connect();
  auto b = first.mutex("b");
  auto multi = second.multi_lock({{"a"}, {"b"}, {"c"}});
  const auto held = b.acquire();
  const auto begin = Clock::now();
  const auto result = multi.try_acquire_for(200ms);
  EXPECT_GE(Clock::now() - begin, 200ms);
  EXPECT_EQ(result.error(), Errc::timed_out);
  EXPECT_NE(result.message().find("/b"), std::string::npos) << result.message();
  EXPECT_TRUE(eventually(kSoon, [&] {
    return queue_length("a") == 0 && queue_length("b") == 1 && queue_length("c") == 0 && world_->listeners() == 0;
  }));
  EXPECT_FALSE(multi.try_lock());
  EXPECT_EQ(queue_length("a"), 0U);
}

TEST_F(Several, waits_for_every_name) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto a = first.mutex("a");
  auto b = first.mutex("b");
  auto multi = second.multi_lock({{"b"}, {"a"}});
  auto in_a = a.acquire();
  auto in_b = b.acquire();
  auto waiting = std::async(std::launch::async, [&] { return multi.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 2 && queue_length("b") == 2; }));
  in_b.release();
  EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout);
  in_a.release();
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get().is_held());
}

TEST_F(Several, works_as_a_lock_of_std_and_is_reentrant) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto multi = client.multi_lock({{"a"}, {"b"}});
  const std::scoped_lock hold(multi);
  EXPECT_TRUE(multi.try_lock());
  EXPECT_TRUE(multi.is_held_by_this_thread());
  multi.unlock();
  EXPECT_TRUE(multi.is_held_by_this_thread());
}

TEST_F(Several, readers_share_and_writers_do_not) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto third = connect();
  auto a = first.multi_lock({{"x", Kind::read}, {"y", Kind::write}});
  auto b = second.multi_lock({{"x", Kind::read}, {"z", Kind::write}});
  auto c = third.multi_lock({{"x", Kind::write}, {"m", Kind::mutex}});
  auto in_a = a.acquire();
  auto in_b = b.try_acquire_for(kSoon);
  ASSERT_TRUE(in_b) << in_b.message();
  EXPECT_FALSE(c.try_acquire_for(50ms));
  auto reader = third.shared_mutex("x");
  EXPECT_TRUE(reader.try_lock_shared());
  reader.unlock_shared();
  in_a.release();
  in_b.lease().release();
  EXPECT_TRUE(c.try_acquire_for(kSoon));
}

// Whatever order they are named in: in two queues they come in the same order.
TEST_F(Several, opposite_orders_do_not_deadlock) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  std::atomic<int> inside = 0;
  std::atomic<bool> overlapped = false;
  std::vector<std::thread> threads;
  const std::vector<std::vector<LockItem>> orders{
      {{"a"}, {"b"}, {"c"}}, {{"c"}, {"b"}, {"a"}}, {{"b"}, {"c"}, {"a"}}, {{"b"}, {"a"}, {"c"}}};
  for (std::size_t t = 0; t < orders.size(); ++t) {
    threads.emplace_back([&, t] {
      auto multi = (t % 2 == 0 ? first : second).multi_lock(orders[t]);
      for (int i = 0; i < 25; ++i) {
        const std::scoped_lock hold(multi);
        if (++inside > 1) overlapped = true;
        std::this_thread::yield();
        --inside;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(overlapped);
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") + queue_length("b") + queue_length("c") == 0; }));
}

TEST_F(Several, all_names_are_lost_when_one_is) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect({.session_timeout = 2s});
  auto multi = client.multi_lock({{"a"}, {"b"}});
  auto lease = multi.acquire();
  world_->remove_ticket("b", world_->tickets("b").front());
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 0; }));
  EXPECT_EQ(lease.release(), Errc::session_lost);
}

TEST_F(Several, names_may_be_sixty_four) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  std::vector<LockItem> items;
  for (std::size_t i = 0; i < MultiLock::kMaxNames; ++i) items.push_back({"n" + std::to_string(i)});
  auto multi = client.multi_lock(items);
  auto lease = multi.acquire();
  for (const auto& item : items) EXPECT_EQ(queue_length(item.name), 1U) << item.name;
  EXPECT_EQ(lease.release_for(kSoon), std::error_code());
  for (const auto& item : items) EXPECT_EQ(queue_length(item.name), 0U) << item.name;
}

TEST_F(Several, names_that_make_no_sense_are_refused_and_nothing_is_left) {
  auto client = connect();
  const auto refused = [&](std::vector<LockItem> items) {
    try {
      client.multi_lock(std::move(items));
      return std::string("nothing");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::invalid_argument);
      return std::string(error.what());
    }
  };
  EXPECT_NE(refused({}).find("0 names"), std::string::npos);
  EXPECT_NE(refused({{"a"}, {"b"}, {"a"}}).find("\"a\" is named twice"), std::string::npos);
  EXPECT_NE(refused({{"a"}, {"/a"}}).find("twice"), std::string::npos);
  EXPECT_NE(refused({{"a/"}}).find("a/"), std::string::npos);
  EXPECT_NE(refused(std::vector<LockItem>(65, {"a"})).find("65 names"), std::string::npos);
  EXPECT_EQ(queue_length("a"), 0U);
}

// Queues that were used before count differently; the token must not.
TEST_F(Several, has_a_token_between_those_of_the_holder_before_it_and_of_the_one_after_it) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto other = connect();
  for (int i = 0; i < 5; ++i) {
    auto used = other.mutex("b");
    used.lock();
    ASSERT_EQ(used.release_for(kSoon), std::error_code());
  }
  for (const auto* name : {"a", "b"}) {
    auto single = other.mutex(name);
    auto lease = single.acquire();
    const auto before = lease.token();
    auto several = client.multi_lock({{"b"}, {"a"}});
    auto waiting = std::async(std::launch::async, [&] { return several.try_acquire_for(kSoon); });
    ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") + queue_length("b") == 3; }));
    ASSERT_EQ(lease.release_for(kSoon), std::error_code());
    auto both = waiting.get();
    ASSERT_TRUE(both) << both.message();
    const auto token = both.lease().token();
    EXPECT_GT(token, before);
    ASSERT_EQ(both.lease().release_for(kSoon), std::error_code());
    for (const auto* each : {"a", "b"}) {
      auto after = other.mutex(each);
      EXPECT_GT(after.acquire().token(), token) << each;
    }
  }
}

}  // namespace holdfast::testing
