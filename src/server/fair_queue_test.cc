#include "server/fair_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace holdfast::server {
namespace {

using std::chrono::milliseconds;

constexpr LineId kHog{LineId::Kind::connection, 1};
constexpr LineId kInnocent{LineId::Kind::connection, 2};

struct Named final : Work {
  explicit Named(std::string text) : name(std::move(text)) {}
  bool writes() const override { return false; }
  engine::Outcome execute(engine::Engine&, const Turn&) override { return {}; }
  void settle(engine::Engine&, engine::Outcome&) override {}
  void fail(bool) override {}
  std::string name;
};

struct Line {
  FairQueue queue;

  void push(const LineId& client, const std::string& name) { queue.push(client, std::make_unique<Named>(name)); }
  std::string take(milliseconds cost) {
    const auto client = queue.next();
    auto work = queue.take();
    queue.charge(client, cost);
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
  line.queue.push_first(kHog, std::make_unique<Named>("first"));
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
  std::map<std::uint64_t, int> pushed;
  std::map<std::uint64_t, int> taken;
  std::map<std::uint64_t, bool> held;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t id = random() % 20;
    const LineId client{LineId::Kind::connection, id};
    switch (random() % 5) {
      case 0: [[fallthrough]];
      case 1: line.push(client, std::to_string(pushed[id]++)); break;
      case 2: line.queue.hold(client, FairQueue::Hold::unsent), held[id] = true; break;
      case 3: line.queue.release(client, FairQueue::Hold::unsent), held[id] = false; break;
      default:
        if (!line.queue.any_ready()) break;
        const auto next = line.queue.next();
        ASSERT_FALSE(held[next.id]);
        ASSERT_EQ(line.take(milliseconds(random() % 10)), std::to_string(taken[next.id]++));
    }
  }
  for (std::uint64_t id = 0; id < 20; ++id) line.queue.release({LineId::Kind::connection, id}, FairQueue::Hold::unsent);
  while (line.queue.any_ready()) {
    const auto next = line.queue.next();
    ASSERT_EQ(line.take(milliseconds(1)), std::to_string(taken[next.id]++));
  }
  EXPECT_TRUE(line.queue.empty());
  EXPECT_EQ(taken, pushed);
}

}  // namespace
}  // namespace holdfast::server
