#include "engine/engine.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "support/engine/scene.h"
#include "support/engine/state.h"

namespace holdfast::engine {
namespace {

using testing::create;
using testing::Scene;
using wire::Code;
using wire::CreateMode;

const std::vector<std::string> kNone{};

TEST(Engine, refuses_whom_it_does_not_know) {
  Scene scene;
  EXPECT_EQ(scene.code({9, 9}, create("/a")), Code::session_expired);
  EXPECT_EQ(scene.code({9, 9}, wire::Exists{"/"}), Code::session_expired);
  EXPECT_EQ(scene.code({9, 9}, wire::Unknown{}), Code::unimplemented);
}

TEST(Engine, ends_a_session_with_its_ephemerals_and_nothing_else) {
  Scene scene;
  const auto me = scene.client(1);
  const auto other = scene.client(2);
  (void)scene.run(me, create("/p"));
  (void)scene.run(me, create("/p/e", CreateMode::ephemeral));
  (void)scene.run(other, create("/p/o", CreateMode::ephemeral));
  EXPECT_EQ(scene.code(me, wire::CloseSession{}), Code::ok);
  EXPECT_FALSE(scene.is_there("/p/e"));
  EXPECT_TRUE(scene.is_there("/p/o"));
  EXPECT_EQ(scene.stat("/p").pzxid, scene.zxid);
  EXPECT_EQ(scene.engine.sessions().find(1), nullptr);
  EXPECT_EQ(scene.code(me, wire::Exists{"/p"}), Code::session_expired);
  EXPECT_EQ(testing::faults(scene.engine), kNone);
}

TEST(Engine, brings_a_session_back_when_its_end_is_taken_back) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/e", CreateMode::ephemeral));
  scene.engine.sessions().heard_of(1, std::chrono::seconds(7));
  const auto before = testing::describe(scene.engine);
  auto outcome = scene.execute(me, wire::CloseSession{});
  EXPECT_NE(testing::describe(scene.engine), before);
  scene.engine.take_back(outcome);
  EXPECT_EQ(testing::describe(scene.engine), before);
  EXPECT_EQ(scene.engine.sessions().find(1)->heard, std::chrono::seconds(7));
  EXPECT_EQ(scene.engine.sessions().find(1)->password, "password");
}

TEST(Engine, forgets_a_session_whose_opening_is_taken_back) {
  Engine engine;
  auto opened = engine.open_session(1, 1, 5, "word", std::chrono::seconds(1), Moment(0));
  engine.take_back(opened);
  EXPECT_EQ(engine.sessions().size(), 0u);
  EXPECT_EQ(engine.sessions().expired(std::chrono::hours(1)), std::vector<wire::SessionId>{});
}

TEST(Engine, removes_containers_that_were_used_and_are_empty) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/c", CreateMode::container));
  EXPECT_EQ(scene.due_after(0), kNone);
  (void)scene.run(me, create("/c/a"));
  EXPECT_EQ(scene.due_after(0), kNone);
  (void)scene.run(me, wire::Remove{"/c/a"});
  EXPECT_EQ(scene.due_after(0), std::vector<std::string>{"/c"});
  EXPECT_EQ(scene.code({}, wire::RemoveContainer{"/c"}), Code::ok);
  EXPECT_FALSE(scene.is_there("/c"));
}

TEST(Engine, removes_ttl_nodes_that_nobody_changed_for_long_enough) {
  Scene scene({.ttl_nodes = true});
  const auto me = scene.client(1);
  (void)scene.run(me, create("/t", CreateMode::persistent_with_ttl));  // 10 ms
  EXPECT_EQ(scene.due_after(10), kNone);
  EXPECT_EQ(scene.due_after(11), std::vector<std::string>{"/t"});
  scene.now += std::chrono::milliseconds(10);
  (void)scene.run(me, wire::SetData{"/t", "x"});
  EXPECT_EQ(scene.due_after(10), kNone);
  (void)scene.run(me, create("/t/child"));
  EXPECT_EQ(scene.due_after(1'000), kNone);
  EXPECT_EQ(scene.code({}, wire::RemoveContainer{"/t"}), Code::not_empty);
}

TEST(Engine, removes_no_ttl_node_sooner_or_later_because_the_wall_clock_jumped) {
  Scene scene({.ttl_nodes = true});
  const auto me = scene.client(1);
  (void)scene.run(me, create("/t", CreateMode::persistent_with_ttl));  // 10 ms
  scene.time += 1'000'000'000;
  EXPECT_EQ(scene.due_after(10), kNone);
  scene.time -= 2'000'000'000;
  EXPECT_EQ(scene.due_after(11), std::vector<std::string>{"/t"});
  EXPECT_EQ(scene.code({}, wire::RemoveContainer{"/t"}), Code::bad_version) << "its time is not over yet";
  scene.now += std::chrono::milliseconds(20);
  EXPECT_EQ(scene.code({}, wire::RemoveContainer{"/t"}), Code::ok);
}

// How long it was away cannot be known by a clock that does not jump.
TEST(Engine, counts_the_time_of_ttl_nodes_anew_after_a_restart) {
  Scene scene({.ttl_nodes = true});
  const auto me = scene.client(1);
  const auto outcome = scene.execute(me, create("/t", CreateMode::persistent_with_ttl));  // 10 ms
  Engine restarted({.ttl_nodes = true});
  ASSERT_TRUE(restarted.replay(encode(outcome.transaction), std::chrono::hours(1)));
  restarted.advance(std::chrono::hours(1) + std::chrono::milliseconds(10));
  EXPECT_EQ(restarted.mortals_due(), kNone);
  restarted.advance(std::chrono::hours(1) + std::chrono::milliseconds(11));
  EXPECT_EQ(restarted.mortals_due(), std::vector<std::string>{"/t"});
}

TEST(Engine, looks_at_mortals_a_few_at_a_time) {
  Scene scene({.ttl_nodes = true});
  const auto me = scene.client(1);
  for (int i = 0; i < 25; ++i) (void)scene.run(me, create("/t" + std::to_string(i), CreateMode::persistent_with_ttl));
  (void)scene.due_after(1'000);
  std::set<std::string> all;
  for (std::size_t from = 0; from < 30; from += 10) {
    const auto due = scene.engine.mortals_due(from, 10);
    EXPECT_EQ(due.size(), from < 20 ? 10u : 5u);
    all.insert(due.begin(), due.end());
  }
  EXPECT_EQ(all.size(), 25u);
}

// Found due, and then changed before its turn came: that was acknowledged.
TEST(Engine, removes_no_node_that_got_a_new_life_meanwhile) {
  Scene scene({.ttl_nodes = true});
  const auto me = scene.client(1);
  (void)scene.run(me, create("/t", CreateMode::persistent_with_ttl));  // 10 ms
  scene.now += std::chrono::milliseconds(20);
  ASSERT_EQ(scene.due_after(0), std::vector<std::string>{"/t"});
  ASSERT_EQ(scene.code(me, wire::SetData{"/t", "new"}), Code::ok);
  EXPECT_EQ(scene.code({}, wire::RemoveContainer{"/t"}), Code::bad_version);
  (void)scene.run(me, create("/c", CreateMode::container));
  EXPECT_EQ(scene.code({}, wire::RemoveContainer{"/c"}), Code::bad_version);
  EXPECT_TRUE(scene.is_there("/t"));
  EXPECT_TRUE(scene.is_there("/c"));
}

TEST(Engine, removes_nothing_else_by_itself) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/p"));
  (void)scene.run(me, create("/e", CreateMode::ephemeral));
  EXPECT_EQ(scene.code({}, wire::RemoveContainer{"/p"}), Code::bad_version);
  EXPECT_EQ(scene.code({}, wire::RemoveContainer{"/e"}), Code::bad_version);
  EXPECT_EQ(scene.code({}, wire::RemoveContainer{"/"}), Code::not_empty);
  EXPECT_EQ(scene.code({}, wire::RemoveContainer{"/zookeeper/config"}), Code::bad_version);
  EXPECT_EQ(scene.code({}, wire::RemoveContainer{"/none"}), Code::no_node);
  EXPECT_EQ(scene.code(me, wire::RemoveContainer{""}), Code::bad_arguments);
}

TEST(Engine, what_it_does_itself_nobody_can_forbid) {
  Scene scene;
  const auto bob = scene.client(1, {{"digest", "bob:x"}});
  auto parent = create("/mine");
  parent.acl = {{wire::permission::kCreate, {"auth", ""}}};
  (void)scene.run(bob, parent);
  (void)scene.run(bob, create("/mine/e", CreateMode::ephemeral));
  EXPECT_EQ(scene.code(bob, wire::Remove{"/mine/e"}), Code::no_auth);
  EXPECT_EQ(scene.code({1, 0}, wire::CloseSession{}), Code::ok);
  EXPECT_FALSE(scene.is_there("/mine/e"));
}

TEST(Engine, answers_what_it_does_not_do) {
  Scene scene;
  const auto me = scene.client(1);
  EXPECT_EQ(scene.code(me, wire::Reconfig{}), Code::reconfig_disabled);
  EXPECT_EQ(scene.code(me, wire::Unknown{}), Code::unimplemented);
  EXPECT_EQ(scene.code(me, wire::Malformed{}), Code::marshalling_error);
}

TEST(Engine, does_not_answer_more_than_the_limit) {
  Scene scene({.answer = 100});
  const auto me = scene.client(1);
  (void)scene.run(me, create("/a", CreateMode::persistent, std::string(200, 'x')));
  const auto outcome = scene.run(me, wire::GetData{"/a"});
  EXPECT_EQ(outcome.code, Code::marshalling_error);
  EXPECT_EQ(outcome.body, "");
}

TEST(Engine, keeps_the_timeout_that_a_session_was_resumed_with_and_can_take_it_back) {
  using std::chrono::seconds;
  Engine engine;
  auto opened = engine.open_session(1, 0, 7, "word", seconds(10), Moment(0));
  auto longer = engine.set_timeout(2, 0, 7, seconds(20));
  EXPECT_EQ(engine.sessions().find(7)->timeout, seconds(20));
  Engine next;
  ASSERT_TRUE(next.replay(encode(opened.transaction), Moment(0)));
  ASSERT_TRUE(next.replay(encode(longer.transaction), Moment(0)));
  EXPECT_EQ(next.sessions().find(7)->timeout, seconds(20));
  EXPECT_EQ(next.sessions().find(7)->password, "word");
  engine.take_back(longer);
  ASSERT_NE(engine.sessions().find(7), nullptr);
  EXPECT_EQ(engine.sessions().find(7)->timeout, seconds(10));
  EXPECT_EQ(engine.sessions().expired(seconds(10)), std::vector<wire::SessionId>{7});
  EXPECT_FALSE(engine.set_timeout(3, 0, 8, seconds(20)).changed());
}

}  // namespace
}  // namespace holdfast::engine
