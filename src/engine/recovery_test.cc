// Random histories: whatever is taken back was never there, and whatever was kept comes back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/engine.h"
#include "support/engine/history.h"
#include "support/engine/state.h"

namespace holdfast::engine {
namespace {

using testing::describe;
using testing::faults;
using testing::History;
using testing::RandomRequests;

constexpr std::uint64_t kSeeds = 200;
const std::vector<std::string> kNone{};

void settle_some(History& history, RandomRequests& random, std::size_t most) {
  for (auto left = random.number(most); left > 0; --left) history.act(random);
  history.settle();
}

// Two histories alike, but that one does things in between which are taken back.
TEST(Recovery, what_is_taken_back_was_never_there) {
  std::size_t taken_back = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomRequests random(seed);
    RandomRequests same_random(seed);
    RandomRequests detour(seed + kSeeds);
    History history;
    History straight;
    for (int round = 0; round < 6; ++round) {
      settle_some(history, random, 30);
      settle_some(straight, same_random, 30);
      const auto before = describe(history.engine);
      for (auto left = detour.number(20); left > 0; --left) history.act(detour);
      if (describe(history.engine) != before) ++taken_back;
      history.take_back();
      ASSERT_EQ(describe(history.engine), before);
      ASSERT_EQ(describe(history.engine), describe(straight.engine));
      ASSERT_EQ(faults(history.engine), kNone);
    }
    ASSERT_EQ(history.log, straight.log);
  }
  EXPECT_GT(taken_back, kSeeds);
}

// A snapshot is walked at rest only, but what is taken back between two steps may be the very node it was about to visit.
TEST(Recovery, what_is_taken_back_does_not_lead_a_snapshot_astray) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomRequests random(seed);
    RandomRequests same_random(seed);
    RandomRequests detour(seed + kSeeds);
    History history;
    History straight;
    settle_some(history, random, 60);
    settle_some(straight, same_random, 60);
    history.begin_snapshot();
    straight.begin_snapshot();
    for (int round = 0; round < 8; ++round) {
      const auto steps = detour.number(4);
      ASSERT_EQ(history.snapshot_records(steps), straight.snapshot_records(steps));
      for (auto left = detour.number(20); left > 0; --left) history.act(detour);
      history.take_back();
      settle_some(history, random, 4);
      settle_some(straight, same_random, 4);
    }
    ASSERT_EQ(history.snapshot_records(1'000), straight.snapshot_records(1'000));
  }
}

TEST(Recovery, a_snapshot_taken_while_nodes_come_and_go_and_the_log_behind_it_give_the_same_state) {
  std::size_t during = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomRequests random(seed);
    History history;
    settle_some(history, random, 100);
    const auto begin = history.log.size();
    history.begin_snapshot();
    std::vector<std::string> records;
    for (bool more = true; more;) {
      const auto steps = 1 + random.number(4);
      auto some = history.snapshot_records(steps);
      more = some.size() == steps;
      records.insert(records.end(), some.begin(), some.end());
      settle_some(history, random, 8);
    }
    during += history.log.size() - begin;
    settle_some(history, random, 10);

    Engine restored;
    for (const auto& record : records) ASSERT_TRUE(restored.restore(record, Moment(0)));
    for (auto i = begin; i < history.log.size(); ++i) ASSERT_TRUE(restored.replay(history.log[i], Moment(0)));
    ASSERT_EQ(describe(restored), describe(history.engine));
    ASSERT_EQ(faults(restored), kNone);
  }
  EXPECT_GT(during, kSeeds);
}

TEST(Recovery, the_log_alone_gives_the_same_state) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomRequests random(seed);
    History history;
    settle_some(history, random, 200);
    Engine replayed;
    for (const auto& record : history.log) ASSERT_TRUE(replayed.replay(record, Moment(0)));
    ASSERT_EQ(describe(replayed), describe(history.engine));
    ASSERT_EQ(faults(replayed), kNone);
  }
}

// As if the crash had come after the log was written, but before the old part of it was removed.
TEST(Recovery, a_log_that_is_replayed_twice_does_no_harm) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomRequests random(seed);
    History history;
    settle_some(history, random, 100);
    Engine replayed;
    for (int round = 0; round < 2; ++round) {
      for (const auto& record : history.log) ASSERT_TRUE(replayed.replay(record, Moment(0)));
    }
    ASSERT_EQ(describe(replayed), describe(history.engine));
    ASSERT_EQ(faults(replayed), kNone);
  }
}

TEST(Recovery, sessions_that_come_back_live_on_from_the_moment_of_the_restart) {
  RandomRequests random(7);
  History history;
  settle_some(history, random, 50);
  ASSERT_GT(history.engine.sessions().size(), 0u);
  history.begin_snapshot();
  Engine restored;
  const Moment start = std::chrono::hours(1);
  for (const auto& record : history.snapshot_records(1'000)) ASSERT_TRUE(restored.restore(record, start));
  EXPECT_EQ(restored.sessions().expired(start + std::chrono::seconds(30) - Moment(1)), std::vector<wire::SessionId>{});
  EXPECT_EQ(restored.sessions().expired(start + std::chrono::seconds(30)).size(), restored.sessions().size());
}

}  // namespace
}  // namespace holdfast::engine
