// The end of a session with very many ephemerals: in pieces, and never half a session.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/engine.h"
#include "support/engine/scene.h"
#include "support/engine/state.h"

namespace holdfast::engine {
namespace {

using testing::create;
using testing::Scene;
using wire::Code;
using wire::CreateMode;

constexpr Rules kTenAtOnce{.removed_at_once = 10};

struct Leaving {
  Scene scene{kTenAtOnce};
  Client me = scene.client(1);
  Client other = scene.client(2);

  explicit Leaving(int ephemerals) {
    for (int i = 0; i < ephemerals; ++i) (void)scene.run(me, create("/e" + std::to_string(i), CreateMode::ephemeral));
    (void)scene.run(other, create("/o", CreateMode::ephemeral));
  }
  Outcome next_piece() {
    auto outcome = scene.engine.remove_ephemerals(++scene.zxid, ++scene.time, me.session);
    scene.settle({}, wire::CloseSession{}, outcome);
    return outcome;
  }
};

TEST(SessionEnd, of_few_ephemerals_is_one_transaction) {
  Leaving leaving(10);
  const auto outcome = leaving.scene.run(leaving.me, wire::CloseSession{});
  EXPECT_EQ(outcome.transaction.changes.size(), 11u);
  EXPECT_FALSE(leaving.scene.engine.has_ephemerals(1));
  EXPECT_TRUE(leaving.scene.is_there("/o"));
}

TEST(SessionEnd, of_many_ephemerals_is_over_with_the_first_piece_and_leaves_nothing_after_the_last) {
  Leaving leaving(25);
  EXPECT_EQ(leaving.scene.code(leaving.me, wire::CloseSession{}), Code::ok);
  EXPECT_EQ(leaving.scene.engine.sessions().find(1), nullptr);
  EXPECT_EQ(leaving.scene.code(leaving.me, create("/late", CreateMode::ephemeral)), Code::session_expired);
  EXPECT_EQ(leaving.scene.engine.tree().ephemerals(1)->size(), 15u);
  EXPECT_EQ(leaving.scene.engine.orphaned(), std::vector<wire::SessionId>{1});
  EXPECT_EQ(leaving.next_piece().transaction.changes.size(), 10u);
  EXPECT_EQ(leaving.next_piece().transaction.changes.size(), 5u);
  EXPECT_FALSE(leaving.scene.engine.has_ephemerals(1));
  EXPECT_EQ(leaving.next_piece().transaction.changes.size(), 0u);
  EXPECT_TRUE(leaving.scene.is_there("/o"));
  EXPECT_EQ(testing::faults(leaving.scene.engine), std::vector<std::string>{});
}

TEST(SessionEnd, tells_of_so_many_at_a_time) {
  Leaving leaving(20);
  for (wire::SessionId watcher = 3; watcher < 9; ++watcher) {
    EXPECT_EQ(leaving.scene.code(leaving.scene.client(watcher), wire::AddWatch{"/", 1}), Code::ok);
  }
  const auto first = leaving.scene.run(leaving.me, wire::CloseSession{});
  EXPECT_LT(first.transaction.changes.size(), 4u);
  for (int pieces = 0; leaving.scene.engine.has_ephemerals(1); ++pieces) {
    ASSERT_LT(pieces, 20);
    EXPECT_LE(leaving.next_piece().transaction.changes.size(), 3u);
  }
  EXPECT_EQ(leaving.scene.told().size(), 6u * 20u);
}

TEST(SessionEnd, removes_nothing_of_a_session_that_lives) {
  Leaving leaving(5);
  EXPECT_FALSE(leaving.next_piece().changed());
  EXPECT_EQ(leaving.scene.engine.tree().ephemerals(1)->size(), 5u);
}

TEST(SessionEnd, is_taken_back_with_the_piece_that_could_not_be_made_safe) {
  Leaving leaving(25);
  const auto before = testing::describe(leaving.scene.engine);
  auto first = leaving.scene.execute(leaving.me, wire::CloseSession{});
  auto second = leaving.scene.engine.remove_ephemerals(++leaving.scene.zxid, ++leaving.scene.time, 1);
  leaving.scene.engine.take_back(second);
  leaving.scene.engine.take_back(first);
  EXPECT_EQ(testing::describe(leaving.scene.engine), before);
}

// A crash after the first piece: no client can resume the session, and what is left is found.
TEST(SessionEnd, leaves_orphans_that_are_found_after_a_crash_in_between) {
  Leaving leaving(25);
  std::vector<std::string> snapshot;
  leaving.scene.engine.begin_snapshot();
  while (auto record = leaving.scene.engine.next_snapshot_record()) snapshot.push_back(*record);
  const auto first = leaving.scene.run(leaving.me, wire::CloseSession{});
  Engine restarted(kTenAtOnce);
  for (const auto& record : snapshot) ASSERT_TRUE(restarted.restore(record, Moment(0)));
  ASSERT_TRUE(restarted.replay(encode(first.transaction), Moment(0)));
  EXPECT_EQ(restarted.sessions().find(1), nullptr);
  EXPECT_EQ(restarted.orphaned(), std::vector<wire::SessionId>{1});
  for (int pieces = 0; pieces < 2; ++pieces) {
    auto outcome = restarted.remove_ephemerals(1'000 + pieces, 1, 1);
    restarted.settle({}, wire::CloseSession{}, outcome, [](ConnectionId, const wire::Event&) {});
  }
  EXPECT_EQ(restarted.orphaned(), std::vector<wire::SessionId>{});
  EXPECT_TRUE(restarted.tree().find("/o") != nullptr);
}

}  // namespace
}  // namespace holdfast::engine
