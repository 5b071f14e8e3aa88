// All steps or none.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/writes.h"
#include "support/engine/scene.h"
#include "support/engine/state.h"

namespace holdfast::engine {
namespace {

using testing::create;
using testing::Scene;
using wire::Code;
using wire::CreateMode;
using wire::Op;

// The codes of the steps, as the answer says them; -999 where the answer is none.
std::vector<int> codes_of(const Outcome& outcome) {
  std::vector<int> codes;
  wire::Reader reader(outcome.body);
  while (reader.ok()) {
    const auto op = static_cast<Op>(reader.i32());
    const bool done = reader.boolean();
    const auto err = reader.i32();
    if (done) break;
    codes.push_back(err);
    switch (op) {
      case Op::error: EXPECT_EQ(reader.i32(), err); break;
      case Op::create: (void)reader.text(); break;
      case Op::create2:
        (void)reader.text();
        (void)decode_stat(reader);
        break;
      case Op::set_data: (void)decode_stat(reader); break;
      default: break;
    }
  }
  if (!reader.ok() || reader.left() > 0) codes.push_back(-999);
  return codes;
}

TEST(Multi, does_all_steps_with_one_zxid) {
  Scene scene({.ttl_nodes = true});
  const auto me = scene.client(1);
  const auto outcome = scene.run(
      me, wire::Multi{{create("/a"), create("/a/s-", CreateMode::persistent_sequential), wire::SetData{"/a", "xyz", 0},
                       wire::Check{"/a", 1}, create("/c", CreateMode::container),
                       create("/t", CreateMode::persistent_with_ttl), wire::Remove{"/a/s-0000000000"}}});
  EXPECT_EQ(outcome.code, Code::ok);
  EXPECT_EQ(codes_of(outcome), (std::vector<int>(7, 0)));
  EXPECT_EQ(scene.stat("/a").czxid, scene.zxid);
  EXPECT_EQ(scene.stat("/a").mzxid, scene.zxid);
  EXPECT_EQ(scene.stat("/a").version, 1);
  EXPECT_EQ(scene.stat("/a").cversion, 2);
  EXPECT_EQ(scene.stat("/a").num_children, 0);
  EXPECT_EQ(scene.engine.tree().mortals().size(), 2u);
}

TEST(Multi, does_nothing_when_a_step_fails_and_says_which) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/old", CreateMode::persistent, "data"));
  (void)scene.run(me, create("/old/child"));
  (void)scene.run(me, wire::GetChildren{"/", true});
  (void)scene.run(me, wire::Exists{"/new", true});
  const auto before = testing::describe(scene.engine);
  const auto outcome = scene.run(
      me, wire::Multi{{create("/new"), wire::SetData{"/old", "other"}, wire::Remove{"/old/child"}, wire::Remove{"/old"},
                       create("/old", CreateMode::ephemeral), create("/gone/a"), create("/never")}});
  EXPECT_EQ(outcome.code, Code::ok);
  EXPECT_EQ(codes_of(outcome), (std::vector<int>{0, 0, 0, 0, 0, -101, -2}));
  EXPECT_FALSE(outcome.changed());
  EXPECT_EQ(testing::describe(scene.engine), before);
  EXPECT_EQ(testing::faults(scene.engine), std::vector<std::string>{});
  EXPECT_TRUE(scene.told().empty());
}

TEST(Multi, sees_what_its_earlier_steps_did) {
  Scene scene;
  const auto me = scene.client(1);
  EXPECT_EQ(codes_of(scene.run(me, wire::Multi{{create("/a"), create("/a")}})), (std::vector<int>{0, -110}));
  EXPECT_EQ(codes_of(scene.run(me, wire::Multi{{create("/a"), create("/a/b"), wire::Remove{"/a"}}})),
            (std::vector<int>{0, 0, -111}));
  EXPECT_EQ(codes_of(scene.run(me, wire::Multi{{create("/a"), wire::Remove{"/a"}, create("/a")}})),
            (std::vector<int>{0, 0, 0}));
  EXPECT_TRUE(scene.is_there("/a"));
}

TEST(Multi, of_nothing_is_answered) {
  Scene scene;
  const auto me = scene.client(1);
  const auto outcome = scene.run(me, wire::Multi{});
  EXPECT_EQ(codes_of(outcome), std::vector<int>{});
  EXPECT_EQ(outcome.body.size(), 9u);
}

TEST(Multi, a_sequence_that_was_not_made_was_not_counted) {
  Scene scene;
  const auto me = scene.client(1);
  const auto next = create("/n-", CreateMode::persistent_sequential);
  (void)scene.run(me, wire::Multi{{next, next, wire::Check{"/none"}}});
  EXPECT_EQ(scene.created(me, next), "/n-0000000000");
}

TEST(Multi, tells_of_each_step_in_order) {
  Scene scene;
  const auto me = scene.client(1);
  const auto other = scene.client(2);
  (void)scene.run(other, wire::AddWatch{"/", 1});
  (void)scene.run(me, wire::Multi{{create("/a"), wire::SetData{"/a", "x"}, create("/b"), wire::Remove{"/a"}}});
  using enum wire::EventType;
  EXPECT_EQ(
      scene.told(),
      (std::vector<testing::Told>{
          {2, node_created, "/a"}, {2, node_data_changed, "/a"}, {2, node_created, "/b"}, {2, node_deleted, "/a"}}));
}

}  // namespace
}  // namespace holdfast::engine
