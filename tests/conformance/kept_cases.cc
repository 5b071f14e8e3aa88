// docs/semantics.md, "Kept tickets": a client keeps the ticket of a name that it uses again and again, until a rival wants it.
#include <future>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

class KeptTickets : public Conformance {
 protected:
  // Longer than any case takes: what is given back is given back for its reason.
  static constexpr auto kLong = 60s;

  Client keeper() { return connect({.hand_over = {.keep = kLong}}); }
  // Twice, so that the ticket is kept.
  Token use_again(Mutex& mutex) {
    mutex.acquire().release();
    auto lease = mutex.acquire();
    const auto token = lease.token();
    lease.release();
    return token;
  }
};

TEST_F(KeptTickets, have_one_token_however_often_they_are_used) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto client = keeper();
  auto mutex = client.mutex("a");
  const auto token = use_again(mutex);
  for (int i = 0; i < 100; ++i) {
    auto lease = client.mutex("a").acquire();  // another object
    EXPECT_EQ(lease.token(), token);
    EXPECT_FALSE(lease.release());
  }
  EXPECT_EQ(queue_length("a"), 1U);
}

TEST_F(KeptTickets, are_given_back_to_a_rival_that_waits) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto client = keeper();
  auto rival = connect();
  auto mutex = client.mutex("a");
  const auto token = use_again(mutex);
  auto result = rival.mutex("a").try_acquire_for(kSoon);
  ASSERT_TRUE(result) << result.message();
  EXPECT_GT(result.lease().token(), token);
  EXPECT_FALSE(mutex.try_lock());
}

TEST_F(KeptTickets, are_given_back_to_a_rival_that_does_not_wait) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto client = keeper();
  auto rival = connect();
  auto mutex = client.mutex("a");
  use_again(mutex);
  auto theirs = rival.mutex("a");
  EXPECT_TRUE(eventually(kSoon, [&] { return theirs.try_lock(); })) << "a ticket that is only kept looks held for ever";
}

TEST_F(KeptTickets, in_use_are_given_back_with_their_release) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto client = keeper();
  auto rival = connect();
  auto mutex = client.mutex("a");
  use_again(mutex);
  auto lease = mutex.acquire();
  auto waiting = std::async(std::launch::async, [&] { return rival.mutex("a").try_acquire_for(kSoon); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 2; }));
  EXPECT_TRUE(lease.is_held());
  EXPECT_FALSE(lease.release());
  auto result = waiting.get();
  EXPECT_TRUE(result) << result.message();
}

TEST_F(KeptTickets, of_readers_are_given_back_to_a_writer) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = keeper();
  auto rival = connect();
  auto readers = client.shared_mutex("a");
  for (int i = 0; i < 2; ++i) readers.acquire_shared().release();
  ASSERT_EQ(queue_length("a"), 1U);
  auto result = rival.shared_mutex("a").try_acquire_for(kSoon);
  EXPECT_TRUE(result) << result.message();
}

TEST_F(KeptTickets, are_given_back_when_their_client_closes) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto client = keeper();
  auto mutex = client.mutex("a");
  use_again(mutex);
  client.close();
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 0; }));
}

TEST_F(KeptTickets, are_given_back_when_their_time_is_over) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto client = connect({.hand_over = {.keep = 200ms}});
  auto mutex = client.mutex("a");
  use_again(mutex);
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 0; }));
}

TEST_F(KeptTickets, are_shown_as_what_may_only_be_kept) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = keeper();
  auto other = connect();
  auto mutex = client.mutex("a");
  use_again(mutex);
  const auto seen = other.inspect("a").tickets;
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_TRUE(seen.front().holds && seen.front().kept);
  EXPECT_TRUE(client.inspect("a").tickets.front().kept);
  auto lease = mutex.acquire();
  EXPECT_FALSE(client.inspect("a").tickets.front().kept) << "its own client knows better";
  EXPECT_TRUE(other.inspect("a").tickets.front().kept);
}

// An operator's removal is noticed before the next use.
TEST_F(KeptTickets, that_were_removed_are_not_used_again) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto client = keeper();
  auto mutex = client.mutex("a");
  const auto token = use_again(mutex);
  world_->remove_ticket("a", world_->tickets("a").front());
  EXPECT_TRUE(eventually(kSoon, [&] {
    auto lease = mutex.acquire();
    return lease.token() > token;
  }));
}

TEST_F(KeptTickets, in_turn_between_two_clients_lose_no_wake_up_and_starve_neither) {
  HOLDFAST_NEEDS_FEATURE(order);
  constexpr int kRounds = 1'000;
  std::atomic<int> inside = 0;
  std::atomic<int> overlaps = 0;
  const auto take_turns = [&](Client client) {
    auto mutex = client.mutex("a");
    for (int i = 0; i < kRounds; ++i) {
      auto result = mutex.try_acquire_for(kSoon);
      if (!result) return i;
      if (inside.fetch_add(1) != 0) ++overlaps;
      inside.fetch_sub(1);
    }
    return kRounds;
  };
  auto first = std::async(std::launch::async, take_turns, keeper());
  auto second = std::async(std::launch::async, take_turns, keeper());
  EXPECT_EQ(first.get(), kRounds);
  EXPECT_EQ(second.get(), kRounds);
  EXPECT_EQ(overlaps, 0);
}

}  // namespace holdfast::testing
