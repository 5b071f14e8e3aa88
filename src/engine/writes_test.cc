// What requests that change something do, and what a Stat says of it.
#include "engine/writes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/engine/scene.h"
#include "support/engine/state.h"

namespace holdfast::engine {
namespace {

using testing::create;
using testing::kOpen;
using testing::Scene;
using wire::Code;
using wire::CreateMode;
using wire::Op;

const std::vector<std::string> kNone{};

// One child was created under `parent` for each number below `creations`.
void make_used(Scene& scene, const std::string& parent, std::int32_t creations) {
  const Transaction made{.zxid = ++scene.zxid,
                         .changes = {NodeCreated{.path = parent + "/x", .parent_creations = creations}}};
  ASSERT_TRUE(scene.engine.replay(encode(made), Moment(0)));
}

TEST(Session, has_no_more_ephemerals_than_its_end_can_name) {
  Scene scene({.ephemeral_bytes = 95});
  const auto me = scene.client(1);
  const auto other = scene.client(2);
  const std::string ten = "/23456789a";
  ASSERT_EQ(scene.code(me, create(ten, CreateMode::ephemeral)), Code::ok);
  EXPECT_EQ(scene.code(me, create('/' + std::string(99, 'x'), CreateMode::ephemeral)), Code::system_error);
  EXPECT_EQ(scene.code(me, create('/' + std::string(99, 'x'), CreateMode::persistent)), Code::ok);
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(scene.code(me, create("/2345678" + std::to_string(10 + i), CreateMode::ephemeral)), Code::ok);
  }
  EXPECT_EQ(scene.code(me, create("/23456789b", CreateMode::ephemeral)), Code::system_error);
  EXPECT_EQ(scene.code(other, create("/23456789b", CreateMode::ephemeral)), Code::ok);
  ASSERT_EQ(scene.code(me, wire::Remove{ten}), Code::ok);
  EXPECT_EQ(scene.code(me, create("/23456789c", CreateMode::ephemeral)), Code::ok);
  EXPECT_EQ(scene.code(me, wire::CloseSession{}), Code::ok);
  EXPECT_EQ(scene.engine.tree().ephemeral_bytes(1), 0U);
}

// A client with a long name, which "auth" puts into every list.
TEST(Multi, changes_no_more_than_a_record_can_hold) {
  Scene scene({.transaction = 10'000});
  const auto me = scene.client(1, {{"digest", std::string(1'000, 'u') + ":x"}});
  wire::Multi many;
  for (int i = 0; i < 9; ++i) {
    many.steps.emplace_back(
        wire::Create{.path = "/" + std::to_string(i), .acl = {{wire::permission::kAll, {"auth", ""}}}});
  }
  EXPECT_EQ(scene.code(me, many), Code::ok);
  EXPECT_TRUE(scene.is_there("/8"));
  for (auto& step : many.steps) std::get<wire::Create>(step).path += "again";
  many.steps.emplace_back(wire::Create{.path = "/one-more", .acl = {{wire::permission::kAll, {"auth", ""}}}});
  EXPECT_FALSE(scene.execute(me, many).changed());
  EXPECT_FALSE(scene.is_there("/0again"));
  EXPECT_EQ(scene.code(me, wire::SetData{"/8", std::string(10'001, 'd')}), Code::system_error);
}

TEST(Stat, of_a_new_node) {
  Scene scene;
  const auto me = scene.client(1);
  ASSERT_EQ(scene.code(me, create("/a", CreateMode::persistent, "four")), Code::ok);
  const auto zxid = scene.zxid;
  const auto time = scene.time;
  EXPECT_EQ(scene.stat("/a"),
            (wire::Stat{.czxid = zxid, .mzxid = zxid, .ctime = time, .mtime = time, .data_length = 4, .pzxid = zxid}));
  EXPECT_EQ(scene.stat("/").pzxid, zxid);
  EXPECT_EQ(scene.stat("/").mzxid, 0);
  EXPECT_EQ(scene.stat("/").cversion, 0);
}

TEST(Stat, counts_creations_and_removals_of_children) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/a"));
  EXPECT_EQ(scene.stat("/a").cversion, 0);
  (void)scene.run(me, create("/a/b"));
  (void)scene.run(me, create("/a/c"));
  EXPECT_EQ(scene.stat("/a").cversion, 2);
  EXPECT_EQ(scene.stat("/a").num_children, 2);
  (void)scene.run(me, wire::Remove{"/a/b"});
  const auto removed = scene.zxid;
  EXPECT_EQ(scene.stat("/a").cversion, 3);
  EXPECT_EQ(scene.stat("/a").num_children, 1);
  EXPECT_EQ(scene.stat("/a").pzxid, removed);
  EXPECT_LT(scene.stat("/a").mzxid, removed);
  (void)scene.run(me, create("/a/c/d"));
  EXPECT_EQ(scene.stat("/a").pzxid, removed);
  EXPECT_EQ(scene.stat("/a").cversion, 3);
}

TEST(Stat, of_changed_data_has_a_new_version_zxid_and_time) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/a"));
  const auto born = scene.stat("/a");
  EXPECT_EQ(scene.code(me, wire::SetData{"/a", "abc", 0}), Code::ok);
  auto wanted = born;
  wanted.version = 1;
  wanted.mzxid = scene.zxid;
  wanted.mtime = scene.time;
  wanted.data_length = 3;
  EXPECT_EQ(scene.stat("/a"), wanted);
  EXPECT_EQ(scene.code(me, wire::SetData{"/a", "abc", 0}), Code::bad_version);
  EXPECT_EQ(scene.stat("/a"), wanted);
}

TEST(Stat, of_a_changed_list_has_a_new_aversion_only) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/a"));
  auto wanted = scene.stat("/a");
  wanted.aversion = 1;
  EXPECT_EQ(scene.code(me, wire::SetAcl{"/a", kOpen, 0}), Code::ok);
  EXPECT_EQ(scene.stat("/a"), wanted);
  EXPECT_EQ(scene.code(me, wire::SetAcl{"/a", kOpen, 0}), Code::bad_version);
}

TEST(Stat, a_request_that_fails_changes_nothing_but_takes_a_zxid) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/a"));
  const auto before = testing::describe(scene.engine);
  EXPECT_EQ(scene.code(me, create("/a")), Code::node_exists);
  EXPECT_EQ(scene.code(me, create("/b/c")), Code::no_node);
  EXPECT_EQ(scene.code(me, create("/a/")), Code::bad_arguments);
  EXPECT_EQ(scene.code(me, wire::Remove{"/a", 4}), Code::bad_version);
  EXPECT_EQ(scene.code(me, wire::Remove{"/"}), Code::bad_arguments);
  EXPECT_EQ(scene.code(me, wire::Remove{"/zookeeper/config"}), Code::bad_arguments);
  EXPECT_EQ(scene.code(me, wire::Remove{"/b"}), Code::no_node);
  EXPECT_EQ(scene.code(me, wire::SetData{"/b", "x"}), Code::no_node);
  EXPECT_EQ(scene.code(me, wire::SetAcl{"/a", {}}), Code::invalid_acl);
  EXPECT_EQ(testing::describe(scene.engine), before);
}

TEST(Stat, the_version_after_the_last_is_the_first) {
  Scene scene;
  const auto me = scene.client(1);
  const Transaction made{.zxid = 1, .changes = {NodeCreated{.path = "/a"}, DataSet{"/a", "x", 2'147'483'647}}};
  ASSERT_TRUE(scene.engine.replay(encode(made), Moment(0)));
  EXPECT_EQ(scene.code(me, wire::SetData{"/a", "y"}), Code::ok);
  EXPECT_EQ(scene.stat("/a").version, -2'147'483'648);
}

TEST(Sequence, counts_what_was_created_whatever_became_of_it) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/q"));
  const auto next = create("/q/n-", CreateMode::persistent_sequential);
  EXPECT_EQ(scene.created(me, next), "/q/n-0000000000");
  EXPECT_EQ(scene.created(me, create("/q/other")), "/q/other");
  EXPECT_EQ(scene.code(me, wire::Remove{"/q/other"}), Code::ok);
  EXPECT_EQ(scene.created(me, next), "/q/n-0000000002");
  EXPECT_EQ(scene.created(me, create("/q/", CreateMode::ephemeral_sequential)), "/q/0000000003");
}

TEST(Sequence, refuses_when_its_numbers_are_used_up_and_never_uses_one_twice) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/q"));
  make_used(scene, "/q", 2'147'483'646);
  const auto next = create("/q/n-", CreateMode::persistent_sequential);
  EXPECT_EQ(scene.created(me, next), "/q/n-2147483646");
  EXPECT_EQ(scene.stat("/q").cversion, 2 * 2'147'483'647LL - 2 - (1LL << 32));
  const auto before = testing::describe(scene.engine);
  EXPECT_EQ(scene.code(me, next), Code::bad_arguments);
  EXPECT_EQ(scene.code(me, create("/q/", CreateMode::ephemeral_sequential)), Code::bad_arguments);
  EXPECT_EQ(testing::describe(scene.engine), before);
  // Others can still be made, and do not start it over.
  EXPECT_EQ(scene.code(me, create("/q/plain")), Code::ok);
  EXPECT_EQ(scene.code(me, wire::Remove{"/q/n-2147483646"}), Code::ok);
  EXPECT_EQ(scene.code(me, next), Code::bad_arguments);
}

TEST(Sequence, that_runs_into_a_node_of_that_name_is_refused) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/0000000001"));
  EXPECT_EQ(scene.code(me, create("/", CreateMode::persistent_sequential)), Code::node_exists);
}

TEST(Ephemeral, belongs_to_its_session_and_has_no_children) {
  Scene scene;
  const auto me = scene.client(7);
  ASSERT_EQ(scene.code(me, create("/e", CreateMode::ephemeral)), Code::ok);
  EXPECT_EQ(scene.stat("/e").ephemeral_owner, 7);
  EXPECT_EQ(scene.code(me, create("/e/a")), Code::no_children_for_ephemerals);
}

TEST(Ttl, is_refused_unless_it_is_allowed) {
  Scene plain;
  EXPECT_EQ(plain.code(plain.client(1), create("/t", CreateMode::persistent_with_ttl)), Code::unimplemented);
  Scene scene({.ttl_nodes = true});
  const auto me = scene.client(1);
  EXPECT_EQ(scene.code(me, create("/t", CreateMode::persistent_with_ttl)), Code::ok);
  EXPECT_EQ(scene.stat("/t").ephemeral_owner, 0);
  for (const std::int64_t ttl : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    auto wrong = create("/u", CreateMode::persistent_with_ttl);
    wrong.ttl = ttl;
    EXPECT_EQ(scene.code(me, wrong), Code::bad_arguments) << ttl;
  }
}

TEST(Create, with_flags_that_nobody_knows_is_refused) {
  Scene scene;
  const auto me = scene.client(1);
  for (const std::int32_t flags : {-1, 7, 1 << 30}) {
    EXPECT_EQ(scene.code(me, wire::Create{.path = "/a", .acl = kOpen, .flags = flags}), Code::bad_arguments);
  }
}

TEST(Create, is_refused_below_the_deepest_level) {
  Scene scene({.path_depth = 2});
  const auto me = scene.client(1);
  EXPECT_EQ(scene.code(me, create("/a")), Code::ok);
  EXPECT_EQ(scene.code(me, create("/a/b")), Code::ok);
  EXPECT_EQ(scene.code(me, create("/a/b/c")), Code::bad_arguments);
}

TEST(Permission, is_asked_of_the_parent_for_children_and_of_the_node_for_the_rest) {
  Scene scene;
  const auto bob = scene.client(1, {{"digest", "bob:x"}});
  const auto eve = scene.client(2, {{"digest", "eve:x"}});
  auto mine = create("/mine");
  mine.acl = {{wire::permission::kAll, {"auth", ""}}};
  ASSERT_EQ(scene.code(bob, mine), Code::ok);
  ASSERT_EQ(scene.code(bob, create("/mine/open")), Code::ok);
  EXPECT_EQ(scene.code(eve, create("/mine/b")), Code::no_auth);
  EXPECT_EQ(scene.code(eve, wire::Remove{"/mine/open"}), Code::no_auth);
  EXPECT_EQ(scene.code(eve, wire::SetData{"/mine", "x"}), Code::no_auth);
  EXPECT_EQ(scene.code(eve, wire::SetAcl{"/mine", kOpen}), Code::no_auth);
  EXPECT_EQ(scene.code(eve, wire::Check{"/mine"}), Code::no_auth);
  EXPECT_EQ(scene.code(eve, wire::SetData{"/mine/open", "x"}), Code::ok);
  EXPECT_EQ(scene.code(bob, wire::Remove{"/mine/open"}), Code::ok);
  EXPECT_EQ(scene.code(eve, wire::Remove{"/mine"}), Code::ok);  // the root allows it
  EXPECT_EQ(testing::faults(scene.engine), kNone);
}

}  // namespace
}  // namespace holdfast::engine
