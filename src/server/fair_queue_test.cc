#include "server/fair_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "server/addresses.h"

namespace holdfast::server {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr LineId kHog{LineId::Kind::connection, 1};
constexpr LineId kInnocent{LineId::Kind::connection, 2};

struct Named final : Work {
  explicit Named(std::string text, engine::Moment likely = kLittle) : name(std::move(text)), cost(likely) {}
  engine::Moment likely_cost() const override { return cost; }
  bool writes() const override { return false; }
  engine::Outcome execute(engine::Engine&, const Turn&) override { return {}; }
  void settle(engine::Engine&, engine::Outcome&) override {}
  void fail(bool) override {}
  std::string name;
  engine::Moment cost;
};

LineId at(const Address& address, std::uint64_t id) { return {LineId::Kind::connection, id, &address}; }

struct Line {
  FairQueue queue;

  void push(const LineId& client, const std::string& name, engine::Moment likely = kLittle) {
    queue.push(client, std::make_unique<Named>(name, likely));
  }
  std::string take(engine::Moment cost) {
    const auto client = queue.next();
    const auto expected = queue.expected();
    auto work = queue.take();
    queue.charge(client, cost, expected);
    return static_cast<Named&>(*work).name;
  }
};

TEST(FairQueue, keeps_the_order_of_one_client) {
  Line line;
  for (const auto* name : {"a", "b", "c"}) line.push(kHog, name);
  EXPECT_EQ(line.take(milliseconds(5)), "a");
  EXPECT_EQ(line.take(milliseconds(1)), "b");
  EXPECT_EQ(line.take(milliseconds(9)), "c");
  EXPECT_TRUE(line.queue.empty());
  EXPECT_FALSE(line.queue.any_ready());
}

TEST(FairQueue, serves_those_that_come_for_the_first_time_in_the_order_they_came) {
  Line line;
  for (std::uint64_t id = 1; id <= 5; ++id) line.push({LineId::Kind::connection, id}, std::to_string(id));
  for (int id = 1; id <= 5; ++id) EXPECT_EQ(line.take(milliseconds(id)), std::to_string(id));
}

TEST(FairQueue, lets_who_asks_for_little_wait_for_one_request_of_whoever_asks_for_much) {
  Line line;
  for (int i = 0; i < 1'000; ++i) line.push(kHog, "hog");
  for (int beat = 0; beat < 100; ++beat) {
    EXPECT_EQ(line.take(milliseconds(100)), "hog");
    line.push(kInnocent, "beat");
    EXPECT_EQ(line.take(milliseconds(0)), "beat") << beat;
  }
}

// However many there are, and although each of them asks for one thing at a time.
TEST(FairQueue, lets_a_crowd_of_greedy_clients_take_turns_behind_who_asks_for_little) {
  Line line;
  const auto ask = [&](std::uint64_t id) { line.push({LineId::Kind::connection, 100 + id}, std::to_string(id)); };
  for (std::uint64_t id = 0; id < 60; ++id) ask(id);
  for (int i = 0; i < 60; ++i) (void)ask(std::stoull(line.take(milliseconds(100))));
  for (int beat = 0; beat < 100; ++beat) {
    ask(std::stoull(line.take(milliseconds(100))));
    line.push(kInnocent, "beat");
    EXPECT_EQ(line.take(milliseconds(0)), "beat") << beat;
  }
}

TEST(FairQueue, gives_equal_time_to_all_that_always_want_some) {
  Line line;
  std::map<std::string, milliseconds> had;
  const std::map<std::string, milliseconds> costs{
      {"1", milliseconds(1)}, {"2", milliseconds(7)}, {"3", milliseconds(40)}};
  for (const auto& [name, cost] : costs) {
    for (int i = 0; i < 20'000; ++i) line.push({LineId::Kind::connection, std::stoull(name)}, name);
  }
  for (milliseconds all{0}; all < milliseconds(10'000);) {
    const auto client = line.queue.next();
    const auto cost = costs.at(std::to_string(client.id));
    had[line.take(cost)] += cost;
    all += cost;
  }
  for (const auto& [name, time] : had) EXPECT_NEAR(static_cast<double>(time.count()), 3'333, 60) << name;
}

TEST(FairQueue, lets_nobody_save_time_up) {
  Line line;
  line.push(kInnocent, "early");
  (void)line.take(milliseconds(1));
  for (int i = 0; i < 100; ++i) line.push(kHog, "hog");
  for (int i = 0; i < 50; ++i) (void)line.take(milliseconds(10));
  for (int i = 0; i < 100; ++i) line.push(kInnocent, "late");
  int late = 0;
  for (int i = 0; i < 20; ++i) late += line.take(milliseconds(10)) == "late" ? 1 : 0;
  EXPECT_LE(late, 11);
}

TEST(FairQueue, forgets_clients_that_have_had_no_more_than_others) {
  Line line;
  for (std::uint64_t id = 1; id <= 10'000; ++id) {
    line.push({LineId::Kind::connection, id}, "once");
    (void)line.take(milliseconds(1));
  }
  EXPECT_LE(line.queue.lines(), 2U);
}

// All of them come at the same moment, for the first time, and again and again.
TEST(FairQueue, lets_who_asks_for_little_wait_for_none_of_a_crowd_that_comes_to_ask_for_much) {
  Line line;
  std::uint64_t id = 100;
  for (int wave = 0; wave < 10; ++wave) {
    for (int i = 0; i < 500; ++i) line.push({LineId::Kind::connection, ++id}, "hog", milliseconds(100));
    for (int beat = 0; beat < 50; ++beat) {
      line.push(kInnocent, "beat");
      EXPECT_EQ(line.take(microseconds(10)), "beat") << wave << ' ' << beat;
      EXPECT_EQ(line.take(milliseconds(100)), "hog");
    }
  }
  while (line.queue.any_ready()) EXPECT_EQ(line.take(milliseconds(100)), "hog");
}

TEST(FairQueue, lets_what_is_found_to_be_large_wait_among_its_likes) {
  Line line;
  line.push(kHog, "hog");
  line.push(kInnocent, "beat");
  EXPECT_EQ(line.queue.next(), kHog);
  EXPECT_FALSE(line.queue.is_weighed());
  EXPECT_FALSE(line.queue.expect(milliseconds(100)));
  EXPECT_EQ(line.queue.next(), kInnocent);
  EXPECT_TRUE(line.queue.expect(microseconds(1)));
  EXPECT_TRUE(line.queue.is_weighed());
  EXPECT_EQ(line.take(microseconds(10)), "beat");
  EXPECT_EQ(line.queue.next(), kHog);
  EXPECT_TRUE(line.queue.is_weighed());
  EXPECT_EQ(line.queue.expected(), milliseconds(100));
  EXPECT_EQ(line.take(milliseconds(100)), "hog");
}

TEST(FairQueue, lets_nothing_wait_for_ever_behind_what_is_small) {
  Line line;
  std::uint64_t id = 100;
  milliseconds large{0};
  engine::Moment small{0};
  for (int i = 0; i < 100; ++i) line.push(kHog, "large", milliseconds(100));
  // A new client each time, so that none of them has had anything.
  line.push({LineId::Kind::connection, ++id}, "small");
  while (large < milliseconds(2'000)) {
    if (line.queue.next() == kHog) {
      (void)line.take(milliseconds(100));
      large += milliseconds(100);
    } else {
      line.push({LineId::Kind::connection, ++id}, "small");
      (void)line.take(microseconds(50));
      small += microseconds(50);
    }
    ASSERT_LT(small, milliseconds(3'000));
  }
  EXPECT_GT(small, milliseconds(1'500));
}

TEST(FairQueue, gives_an_address_with_many_clients_no_more_than_one_with_few) {
  Line line;
  const std::array<Address, 2> addresses;
  for (std::uint64_t id = 1; id <= 500; ++id) {
    for (int i = 0; i < 10; ++i) line.push(at(addresses[0], id), "many", milliseconds(20));
  }
  for (int i = 0; i < 500; ++i) line.push(at(addresses[1], 501), "one", milliseconds(20));
  std::map<std::string, int> had;
  for (int i = 0; i < 400; ++i) ++had[line.take(milliseconds(20))];
  EXPECT_NEAR(had["one"], 200, 2);
  EXPECT_NEAR(had["many"], 200, 2);
}

// The address is the same: a host with hundreds of jobs, or all that is behind one router.
TEST(FairQueue, serves_the_small_first_within_one_address) {
  Line line;
  const std::array<Address, 2> addresses;
  for (std::uint64_t id = 1; id <= 100; ++id) {
    for (const auto& address : addresses) line.push(at(address, id), "hog", milliseconds(50));
  }
  for (int beat = 0; beat < 50; ++beat) {
    EXPECT_EQ(line.take(milliseconds(50)), "hog");
    line.push(at(addresses[0], 1'000), "beat");
    EXPECT_EQ(line.take(microseconds(10)), "beat");
  }
}

TEST(FairQueue, forgets_addresses_too) {
  Line line;
  std::vector<Address> addresses(1'000);
  line.queue.hold(kHog, FairQueue::Hold::unsent);
  line.push(kHog, "held for ever");
  for (const auto& address : addresses) {
    line.push(at(address, 1), "large", milliseconds(50));
    line.push(at(address, 1), "small");
    (void)line.take(milliseconds(60));
    (void)line.take(milliseconds(1));
  }
  EXPECT_LE(line.queue.lines(), 3U);
  EXPECT_LE(line.queue.groups(), 4U);
}

TEST(FairQueue, passes_over_who_is_held_and_goes_on_with_it_afterwards) {
  Line line;
  line.push(kHog, "a");
  line.push(kHog, "b");
  line.queue.hold(kHog, FairQueue::Hold::unsent);
  EXPECT_FALSE(line.queue.any_ready());
  EXPECT_FALSE(line.queue.empty());
  EXPECT_FALSE(line.queue.waits_for_its_turn(kHog));
  line.queue.hold(kHog, FairQueue::Hold::unfinished);
  line.queue.release(kHog, FairQueue::Hold::unsent);
  EXPECT_FALSE(line.queue.any_ready());
  line.queue.push_first(kHog, std::make_unique<Named>("first"), kLittle);
  line.queue.release(kHog, FairQueue::Hold::unfinished);
  EXPECT_TRUE(line.queue.waits_for_its_turn(kHog));
  EXPECT_EQ(line.take(milliseconds(1)), "first");
  EXPECT_EQ(line.take(milliseconds(1)), "a");
  EXPECT_EQ(line.take(milliseconds(1)), "b");
}

TEST(FairQueue, gives_everything_back_held_or_not) {
  Line line;
  line.push(kHog, "a");
  line.push(kInnocent, "b");
  line.queue.hold(kHog, FairQueue::Hold::unsent);
  EXPECT_EQ(line.queue.take_all().size(), 2U);
  EXPECT_TRUE(line.queue.empty());
  EXPECT_EQ(line.queue.lines(), 0U);
}

// Whatever happens: nothing is lost, no client's order changes, and who waits and is not held has its turn.
TEST(FairQueue, loses_nothing_whatever_happens) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Line line;
  const std::array<Address, 3> addresses;
  std::map<std::uint64_t, int> pushed;
  std::map<std::uint64_t, int> taken;
  std::map<std::uint64_t, bool> held;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t id = random() % 20;
    const LineId client{LineId::Kind::connection, id, &addresses[id % 3]};
    switch (random() % 5) {
      case 0: [[fallthrough]];
      case 1: line.push(client, std::to_string(pushed[id]++), microseconds(random() % 200'000)); break;
      case 2: line.queue.hold(client, FairQueue::Hold::unsent), held[id] = true; break;
      case 3: line.queue.release(client, FairQueue::Hold::unsent), held[id] = false; break;
      default:
        if (!line.queue.any_ready()) break;
        if (random() % 2 == 0) (void)line.queue.expect(microseconds(random() % 200'000));
        // Something of what it asked for before is settled.
        if (random() % 2 == 0)
          line.queue.charge(client, microseconds(random() % 100), microseconds(random() % 200'000));
        const auto next = line.queue.next();
        ASSERT_FALSE(held[next.id]);
        ASSERT_EQ(line.take(milliseconds(random() % 10)), std::to_string(taken[next.id]++));
    }
  }
  for (std::uint64_t id = 0; id < 20; ++id) line.queue.release(at(addresses[id % 3], id), FairQueue::Hold::unsent);
  while (line.queue.any_ready()) {
    const auto next = line.queue.next();
    ASSERT_EQ(line.take(milliseconds(1)), std::to_string(taken[next.id]++));
  }
  EXPECT_TRUE(line.queue.empty());
  EXPECT_EQ(taken, pushed);
  EXPECT_EQ(line.queue.lines(), 0U);
  EXPECT_EQ(line.queue.groups(), 0U);
}

}  // namespace
}  // namespace holdfast::server
