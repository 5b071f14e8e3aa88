#include "server/memory_budget.h"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;

struct Client final : Account::Owner {
  Client(const std::shared_ptr<MemoryBudget>& budget, const std::shared_ptr<Address>& address)
      : account(budget, address, *this) {}
  void over_budget(std::size_t bytes) override { lost = bytes; }

  std::size_t lost = 0;
  Account account;
};

struct World {
  std::shared_ptr<MemoryBudget> budget = std::make_shared<MemoryBudget>(1'000);
  std::shared_ptr<Address> one = std::make_shared<Address>();
  std::shared_ptr<Address> other = std::make_shared<Address>();
};

TEST(MemoryBudget, lets_one_address_have_half) {
  World world;
  Client client(world.budget, world.one);
  client.account.charge(500);
  EXPECT_EQ(client.lost, 0U);
  client.account.charge(1);
  EXPECT_EQ(client.lost, 501U);
  EXPECT_TRUE(client.account.was_over_budget());
  EXPECT_EQ(world.budget->used(), 0U);
}

TEST(MemoryBudget, ends_the_greediest_client_first_and_spares_the_others) {
  World world;
  Client modest(world.budget, world.one);
  Client greedy(world.budget, world.one);
  Client last(world.budget, world.one);
  modest.account.charge(50);
  greedy.account.charge(400);
  last.account.charge(100);  // with which it becomes too much
  EXPECT_EQ(greedy.lost, 400U);
  EXPECT_EQ(modest.lost + last.lost, 0U);
  EXPECT_EQ(world.budget->used(), 150U);
}

TEST(MemoryBudget, keeps_room_for_an_address_that_has_nothing_yet) {
  World world;
  Client greedy(world.budget, world.one);
  Client honest(world.budget, world.other);
  greedy.account.charge(500);
  honest.account.charge(200);
  EXPECT_EQ(honest.lost, 0U);
  // What is free has become less: the next byte of the greedy one is too much.
  greedy.account.charge(1);
  EXPECT_GT(greedy.lost, 0U);
  EXPECT_EQ(honest.lost, 0U);
}

TEST(MemoryBudget, forgets_what_a_client_used_that_is_gone) {
  World world;
  {
    Client client(world.budget, world.one);
    client.account.charge(300);
    client.account.release(100);
    EXPECT_EQ(world.budget->used(), 200U);
  }
  EXPECT_EQ(world.budget->used(), 0U);
  EXPECT_EQ(world.one->bytes, 0U);
  EXPECT_TRUE(world.one->accounts.empty());
}

TEST(MemoryBudget, does_not_count_what_is_released_after_the_end) {
  World world;
  Client client(world.budget, world.one);
  client.account.charge(600);
  client.account.release(600);
  EXPECT_EQ(world.budget->used(), 0U);
  EXPECT_EQ(world.one->bytes, 0U);
}

TEST(MemoryBudget, is_by_default_a_share_of_what_there_is) {
  EXPECT_GE(default_memory_budget(), std::size_t{16} << 20);
}

TEST(Pace, lets_a_burst_pass_and_then_one_in_every_step) {
  Pace pace(100ms, 3);
  const engine::Moment now = 1h;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(pace.take(now), now) << i;
  EXPECT_FALSE(pace.ready(now));
  EXPECT_EQ(pace.take(now), now + 100ms);
  EXPECT_EQ(pace.take(now), now + 200ms);
  pace.give_back();
  EXPECT_EQ(pace.take(now), now + 200ms);
  EXPECT_TRUE(pace.rested(now + 700ms));
}

TEST(Addresses, leave_as_many_connections_free_as_they_have_themselves) {
  EngineLimits limits;
  limits.connections = 100;
  Addresses addresses(limits);
  std::vector<std::shared_ptr<Address>> all;
  for (int i = 0; i < 6; ++i) {
    all.push_back(addresses.find(std::to_string(i), 0ms));
    while (addresses.enter(*all.back())) {
    }
    EXPECT_GT(all.back()->connections, 0U) << i;
  }
  EXPECT_EQ(all.front()->connections, 50U);
  EXPECT_LE(addresses.connections(), 100U);
}

TEST(Addresses, are_forgotten_when_they_are_not_used) {
  Addresses addresses{EngineLimits{}};
  for (int i = 0; i < 100'000; ++i) addresses.find(std::to_string(i), 0ms);
  EXPECT_LE(addresses.known(), 2'001U);
}

}  // namespace
}  // namespace holdfast::server
