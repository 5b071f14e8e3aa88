// docs/semantics.md, "Inspecting".
#include <future>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Inspecting = Conformance;

TEST_F(Inspecting, shows_the_holder_and_the_waiters_in_order) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto first = connect({.purpose = "the holder"});
  auto second = connect({.purpose = "the next", .program = "backup"});
  auto mine = first.mutex("orders/1");
  auto theirs = second.mutex("orders/1");
  const auto begin = std::chrono::system_clock::now();
  auto lease = mine.acquire();
  auto waiting = std::async(std::launch::async, [&] { return theirs.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("orders/1") == 2; }));
  const auto lock = second.inspect("orders/1");
  EXPECT_EQ(lock.name, "orders/1");
  EXPECT_EQ(lock.path, "/orders/1");
  ASSERT_EQ(lock.tickets.size(), 2U);
  EXPECT_TRUE(lock.tickets[0].holds);
  EXPECT_FALSE(lock.tickets[1].holds);
  EXPECT_EQ(lock.tickets[0].card.purpose, "the holder");
  EXPECT_EQ(lock.tickets[0].card.pid, ::getpid());
  EXPECT_EQ(lock.tickets[1].card.purpose, "the next");
  EXPECT_EQ(lock.tickets[1].card.program, "backup");
  EXPECT_EQ(lock.tickets[0].token, lease.token());
  EXPECT_EQ(lock.tickets[0].recipe, "Holdfast");
  EXPECT_EQ(lock.tickets[0].mode, LockMode::exclusive);
  EXPECT_NE(lock.tickets[0].session, 0);
  EXPECT_LT(std::chrono::abs(lock.tickets[0].since - begin), 1min);
  EXPECT_FALSE(lock.mixed_recipes || lock.near_overflow || lock.semaphore);
  EXPECT_EQ(lock.orphans, 0U);
  EXPECT_GE(lock.next_sequence, 2);
  lease.release();
  waiting.get();
}

TEST_F(Inspecting, knows_how_often_a_hold_of_its_own_client_was_entered) {
  auto first = connect();
  auto second = connect();
  auto mutex = first.mutex("m");
  mutex.lock();
  mutex.lock();
  EXPECT_EQ(first.inspect("m").tickets.at(0).entries, 2U);
  EXPECT_EQ(second.inspect("m").tickets.at(0).entries, std::nullopt);
  mutex.unlock();
  EXPECT_EQ(first.inspect("m").tickets.at(0).entries, 1U);
  mutex.unlock();
}

TEST_F(Inspecting, shows_readers_writers_and_permits_as_what_they_are) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect({.hand_over = {.count = 0}});
  auto a = client.shared_mutex("rw");
  auto b = client.shared_mutex("rw");
  auto c = client.shared_mutex("rw");
  auto one = a.acquire_shared();
  auto two = b.acquire_shared();
  auto writing = std::async(std::launch::async, [&] { return c.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("rw") == 3; }));
  const auto lock = client.inspect("rw");
  ASSERT_EQ(lock.tickets.size(), 3U);
  EXPECT_EQ(lock.tickets[0].mode, LockMode::read);
  EXPECT_EQ(lock.tickets[2].mode, LockMode::write);
  EXPECT_TRUE(lock.tickets[0].holds && lock.tickets[1].holds && !lock.tickets[2].holds);
  one.release();
  two.release();
  writing.get().release();

  auto semaphore = client.semaphore("s", 2);
  auto other = connect();
  auto late = other.semaphore("s", 2);
  auto held = semaphore.acquire();
  auto more = std::async(std::launch::async, [&] { return late.acquire(2); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length(world_->semaphore("s").permits) == 3; }));
  const auto permits = client.inspect("s");
  EXPECT_TRUE(permits.semaphore);
  ASSERT_EQ(permits.tickets.size(), 2U) << "the waiter is one, although it has put two nodes among the permits";
  EXPECT_EQ(permits.tickets[0].mode, LockMode::permit);
  EXPECT_TRUE(permits.tickets[0].holds);
  EXPECT_FALSE(permits.tickets[1].holds);
  EXPECT_FALSE(permits.mixed_recipes);
  held.release();
  more.get();
}

TEST_F(Inspecting, finds_every_lock_below_a_root) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto a = client.mutex("shop/orders/1");
  auto b = client.mutex("shop/orders/2");
  auto c = client.semaphore("shop/printers", 3);
  auto d = client.mutex("elsewhere");
  const auto la = a.acquire();
  const auto lb = b.acquire();
  const auto lc = c.acquire(2);
  const auto ld = d.acquire();
  const auto names = [](const std::vector<LockInfo>& locks) {
    std::vector<std::string> all;
    for (const auto& lock : locks) all.push_back(lock.name);
    return all;
  };
  EXPECT_EQ(names(client.inspect_all("shop")),
            (std::vector<std::string>{"shop/orders/1", "shop/orders/2", "shop/printers"}));
  EXPECT_EQ(names(client.inspect_all()),
            (std::vector<std::string>{"elsewhere", "shop/orders/1", "shop/orders/2", "shop/printers"}));
  auto inside = connect({.name_space = "shop"});
  EXPECT_EQ(names(inside.inspect_all()), (std::vector<std::string>{"orders/1", "orders/2", "printers"}));
  EXPECT_EQ(inside.inspect("orders/1").path, "/shop/orders/1");
}

TEST_F(Inspecting, shows_what_is_no_card_without_believing_it) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto mutex = client.mutex("m");
  const auto lease = mutex.acquire();
  const auto ticket = world_->tickets("m").front();
  for (const auto& text : {std::string("\x01\xff binary \x1b[31m") + '\0', std::string()}) {
    world_->write_ticket("m", ticket, text);
    const auto lock = client.inspect("m");
    ASSERT_EQ(lock.tickets.size(), 1U);
    EXPECT_TRUE(lock.tickets[0].holds);
    EXPECT_EQ(lock.tickets[0].card.host, "");
    EXPECT_FALSE(lock.tickets[0].revoked);
    EXPECT_EQ(lock.tickets[0].card.to_string().find('\x1b'), std::string::npos);
  }
}

TEST_F(Inspecting, shows_that_a_ticket_is_asked_back_although_its_card_was_written_over) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto mutex = client.mutex("m");
  const auto lease = mutex.acquire();
  world_->ask_back("m", world_->tickets("m").front());
  const auto lock = client.inspect("m");
  ASSERT_EQ(lock.tickets.size(), 1U);
  EXPECT_TRUE(lock.tickets[0].holds && lock.tickets[0].revoked);
}

TEST_F(Inspecting, a_name_that_nobody_wants_is_empty_and_a_wrong_one_refused) {
  auto client = connect();
  EXPECT_TRUE(client.inspect("nothing").tickets.empty());
  EXPECT_TRUE(client.inspect_all("nothing").empty());
  EXPECT_THROW(client.inspect("a//b"), Error);
  EXPECT_THROW(client.inspect_all("/"), Error);
}

}  // namespace holdfast::testing
