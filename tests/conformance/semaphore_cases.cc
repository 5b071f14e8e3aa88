// docs/semantics.md, "Permits": Semaphore and SharedCount.
#include <future>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

class Permit : public Conformance {
 protected:
  std::size_t taken() { return queue_length(world_->semaphore("s").permits); }
  std::size_t in_line() { return queue_length(world_->semaphore("s").turns); }
};

// Curator: testSimple, testSimple2.
TEST_F(Permit, are_as_many_as_were_said) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto mine = first.semaphore("s", 3);
  auto theirs = second.semaphore("s", 3);
  auto a = mine.acquire();
  auto b = theirs.acquire();
  auto c = mine.acquire();
  EXPECT_EQ(taken(), 3U);
  EXPECT_EQ(theirs.try_acquire().error(), Errc::timed_out);
  const auto late = theirs.try_acquire_for(100ms);
  EXPECT_EQ(late.error(), Errc::timed_out);
  EXPECT_NE(late.message().find("permits"), std::string::npos) << late.message();
  EXPECT_TRUE(eventually(kSoon, [&] { return taken() == 3 && in_line() == 0; }));
  b.release();
  EXPECT_TRUE(theirs.try_acquire_for(kSoon));
}

TEST_F(Permit, come_several_at_once_or_not_at_all) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto mine = first.semaphore("s", 5);
  auto theirs = second.semaphore("s", 5);
  auto three = mine.acquire(3);
  EXPECT_EQ(taken(), 3U);
  EXPECT_FALSE(theirs.try_acquire(3));
  EXPECT_FALSE(theirs.try_acquire_for(100ms, 3));
  EXPECT_TRUE(eventually(kSoon, [&] { return taken() == 3 && in_line() == 0; }));
  auto two = theirs.try_acquire_for(kSoon, 2);
  ASSERT_TRUE(two) << two.message();
  EXPECT_EQ(taken(), 5U);
  EXPECT_EQ(three.release_for(kSoon), std::error_code());
  EXPECT_EQ(taken(), 2U);
}

TEST_F(Permit, go_to_who_asked_first_also_if_it_asked_for_more) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto third = connect();
  auto a = first.semaphore("s", 2);
  auto b = second.semaphore("s", 2);
  auto c = third.semaphore("s", 2);
  auto one = a.acquire();
  auto two = std::async(std::launch::async, [&] { return b.acquire(2); });
  ASSERT_TRUE(eventually(kSoon, [&] { return in_line() == 1 && taken() == 3; }));
  auto late = std::async(std::launch::async, [&] { return c.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return in_line() == 2; }));
  EXPECT_EQ(late.wait_for(100ms), std::future_status::timeout);
  one.release();
  auto both = two.get();
  EXPECT_EQ(late.wait_for(50ms), std::future_status::timeout);
  both.release();
  EXPECT_TRUE(late.get().is_held());
}

// CURATOR-75, and Curator's testThreadedLeaseIncrease.
TEST_F(Permit, grow_and_shrink_with_a_shared_count_while_others_wait) {
  HOLDFAST_NEEDS(listeners);
  auto first = connect();
  auto second = connect();
  auto count = first.shared_count("s/count", 1);
  EXPECT_EQ(count.get(), 1);
  auto a = first.semaphore("s", count);
  auto b = second.semaphore("s", second.shared_count("s/count", 7));  // it is there already
  auto held = a.acquire();
  EXPECT_FALSE(b.try_acquire());
  auto waiting = std::async(std::launch::async, [&] { return b.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return taken() == 2; }));
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  count.set(2);
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  auto second_held = waiting.get();
  count.set(1);
  EXPECT_TRUE(second_held.is_held());
  EXPECT_TRUE(held.is_held());
  held.release_for(kSoon);
  EXPECT_FALSE(a.try_acquire_for(100ms)) << "there is one permit, and it is taken";
  second_held.release_for(kSoon);
  EXPECT_TRUE(a.try_acquire_for(kSoon));
  EXPECT_TRUE(eventually(kSoon, [&] { return world_->listeners() == 0; }));
}

TEST_F(Permit, of_a_closed_client_come_back) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto a = first.semaphore("s", 1);
  auto b = second.semaphore("s", 1);
  auto held = a.acquire();
  auto waiting = std::async(std::launch::async, [&] { return b.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return taken() == 2; }));
  first.close();
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get().is_held());
  EXPECT_TRUE(eventually(kSoon, [&] { return held.lost().stop_requested(); }));
}

TEST_F(Permit, are_lost_when_their_ticket_is_removed) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect({.session_timeout = 2s});
  auto semaphore = client.semaphore("s", 3);
  auto two = semaphore.acquire(2);
  world_->remove_ticket(world_->semaphore("s").permits, world_->tickets(world_->semaphore("s").permits).front());
  EXPECT_TRUE(eventually(kSoon, [&] { return two.lost().stop_requested(); }));
  EXPECT_TRUE(eventually(kSoon, [&] { return taken() == 0; }));
}

// CURATOR-462 and Curator's testInterruptAcquire.
TEST_F(Permit, are_not_left_behind_by_who_gives_up) {
  HOLDFAST_NEEDS(listeners);
  auto first = connect();
  auto second = connect();
  auto a = first.semaphore("s", 1);
  auto b = second.semaphore("s", 1);
  auto held = a.acquire();
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] { return b.try_acquire_for(1h, 1, stop.get_token()); });
  ASSERT_TRUE(eventually(kSoon, [&] { return taken() == 2; }));
  stop.request_stop();
  EXPECT_EQ(waiting.get().error(), Errc::cancelled);
  EXPECT_TRUE(eventually(kSoon, [&] { return taken() == 1 && in_line() == 0 && world_->listeners() == 0; }));
  held.release();
  EXPECT_TRUE(b.try_acquire_for(kSoon));
}

// CURATOR-315 and Curator's testNoOrphanedNodes.
TEST_F(Permit, whose_ticket_was_removed_while_waiting_are_asked_for_again) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect({.session_timeout = 2s});
  auto second = connect({.session_timeout = 2s});
  auto a = first.semaphore("s", 1);
  auto b = second.semaphore("s", 1);
  auto held = a.acquire();
  auto waiting = std::async(std::launch::async, [&] { return b.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return taken() == 2; }));
  const auto removed = world_->tickets(world_->semaphore("s").permits).back();
  world_->remove_ticket(world_->semaphore("s").permits, removed);
  ASSERT_TRUE(eventually(kSoon, [&] {
    const auto tickets = world_->tickets(world_->semaphore("s").permits);
    return tickets.size() == 2 && tickets.back() != removed;
  }));
  held.release();
  waiting.get().release_for(kSoon);
  EXPECT_TRUE(eventually(kSoon, [&] { return taken() == 0; }));
}

// Curator: testMaxPerSession, testThreads, testRelease1AtATime, testReleaseInChunks.
TEST_F(Permit, are_never_more_than_there_are_in_a_crowd) {
  HOLDFAST_NEEDS_FEATURE(family);
  constexpr int kPermits = 3;
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(connect());
  std::atomic<int> out = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      auto semaphore = clients[static_cast<std::size_t>(t) % clients.size()].semaphore("s", kPermits);
      for (int i = 0; i < 10; ++i) {
        const int wanted = 1 + (i + t) % kPermits;
        auto lease = semaphore.acquire(wanted);
        const int now = out += wanted;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        out -= wanted;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(most, kPermits);
  EXPECT_TRUE(eventually(kSoon, [&] { return taken() == 0 && in_line() == 0; }));
}

TEST_F(Permit, may_be_a_thousand_at_once_and_no_more) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto semaphore = client.semaphore("s", 5'000);
  auto lease = semaphore.acquire(1'000);
  EXPECT_EQ(taken(), 1'000U);
  EXPECT_EQ(lease.release_for(kSoon), std::error_code());
  EXPECT_EQ(taken(), 0U);
  EXPECT_EQ(code_of([&] { (void)semaphore.acquire(1'001); }), Errc::invalid_argument);
}

TEST_F(Permit, in_numbers_that_make_no_sense_are_refused_and_nothing_is_left) {
  auto client = connect();
  const auto refused = [](auto&& f) {
    try {
      f();
      return std::string("nothing");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::invalid_argument);
      return std::string(error.what());
    }
  };
  EXPECT_NE(refused([&] { client.semaphore("s", -1); }).find("-1 permits"), std::string::npos);
  EXPECT_NE(refused([&] { client.semaphore("s", 0); }).find("0 permits"), std::string::npos);
  EXPECT_NE(refused([&] { client.semaphore("s", 1LL << 40); }).find("1099511627776 permits"), std::string::npos);
  EXPECT_NE(refused([&] { client.semaphore("s/", 1); }).find("s/"), std::string::npos);
  EXPECT_NE(refused([&] { client.shared_count("s/count", -2); }).find("-2"), std::string::npos);
  auto semaphore = client.semaphore("s", 2);
  EXPECT_NE(refused([&] { (void)semaphore.acquire(0); }).find("0 permits"), std::string::npos);
  EXPECT_NE(refused([&] { (void)semaphore.acquire(-3); }).find("-3 permits"), std::string::npos);
  EXPECT_NE(refused([&] { (void)semaphore.acquire(3); }).find("between 1 and 2"), std::string::npos);
  EXPECT_EQ(taken() + in_line(), 0U);
}

TEST_F(Permit, of_a_count_that_is_none_are_refused) {
  HOLDFAST_NEEDS(values);
  auto client = connect();
  auto count = client.shared_count("s/count", 1);
  auto semaphore = client.semaphore("s", count);
  world_->write_value("s/count", "seven");
  EXPECT_THROW(count.get(), Error);
  const auto result = semaphore.try_acquire_for(1h);
  EXPECT_EQ(result.error(), Errc::refused);
  EXPECT_NE(result.message().find("s/count"), std::string::npos) << result.message();
  EXPECT_TRUE(eventually(kSoon, [&] { return taken() == 0 && in_line() == 0; }));
}

}  // namespace holdfast::testing
