// Who is told of what, and in which order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/engine.h"
#include "support/engine/scene.h"

namespace holdfast::engine {
namespace {

using enum wire::EventType;
using testing::create;
using testing::kOpen;
using testing::Scene;
using testing::Told;
using wire::Code;

using Tellings = std::vector<Told>;

struct Two {
  Scene scene;
  Client writer = scene.client(1);
  Client watcher = scene.client(2);
};

TEST(Event, of_a_creation_goes_to_the_node_and_to_the_children_of_its_parent) {
  Two two;
  auto& [scene, writer, watcher] = two;
  EXPECT_EQ(scene.code(watcher, wire::Exists{"/a", true}), Code::no_node);
  EXPECT_EQ(scene.code(watcher, wire::GetChildren{"/", true}), Code::ok);
  (void)scene.run(writer, create("/a"));
  EXPECT_EQ(scene.told(), (Tellings{{2, node_created, "/a"}, {2, node_children_changed, "/"}}));
  (void)scene.run(writer, create("/b"));
  EXPECT_EQ(scene.told(), Tellings{});
}

TEST(Event, of_a_removal_is_told_once_by_the_two_watches_of_the_node) {
  Two two;
  auto& [scene, writer, watcher] = two;
  (void)scene.run(writer, create("/a"));
  (void)scene.run(writer, create("/a/b"));
  (void)scene.run(watcher, wire::GetData{"/a/b", true});
  (void)scene.run(watcher, wire::GetChildren{"/a/b", true});
  (void)scene.run(watcher, wire::GetChildren{"/a", true});
  (void)scene.run(writer, wire::Remove{"/a/b"});
  EXPECT_EQ(scene.told(), (Tellings{{2, node_deleted, "/a/b"}, {2, node_children_changed, "/a"}}));
  EXPECT_EQ(scene.engine.data_watches().size() + scene.engine.child_watches().size(), 0u);
}

TEST(Event, of_new_data_goes_to_those_who_watch_the_data) {
  Two two;
  auto& [scene, writer, watcher] = two;
  (void)scene.run(writer, create("/a"));
  (void)scene.run(watcher, wire::GetData{"/a", true});
  (void)scene.run(watcher, wire::GetChildren{"/a", true});
  (void)scene.run(writer, wire::SetData{"/a", "x"});
  EXPECT_EQ(scene.told(), (Tellings{{2, node_data_changed, "/a"}}));
  (void)scene.run(writer, wire::SetAcl{"/a", kOpen});
  EXPECT_EQ(scene.told(), Tellings{});
}

TEST(Event, of_an_ended_session_are_those_of_its_ephemerals) {
  Two two;
  auto& [scene, writer, watcher] = two;
  (void)scene.run(writer, create("/b", wire::CreateMode::ephemeral));
  (void)scene.run(writer, create("/a", wire::CreateMode::ephemeral));
  (void)scene.run(watcher, wire::AddWatch{"/", 1});
  // As an expiry asks for it: for the session, over no connection.
  (void)scene.run({writer.session, 0}, wire::CloseSession{});
  EXPECT_EQ(scene.told(), (Tellings{{2, node_deleted, "/b"}, {2, node_deleted, "/a"}}));
}

TEST(Watch, is_not_set_by_a_read_that_fails) {
  Two two;
  auto& [scene, writer, watcher] = two;
  EXPECT_EQ(scene.code(watcher, wire::GetData{"/a", true}), Code::no_node);
  EXPECT_EQ(scene.code(watcher, wire::GetChildren{"/a", true}), Code::no_node);
  (void)scene.run(writer, create("/a"));
  EXPECT_EQ(scene.told(), Tellings{});
}

TEST(Watch, goes_with_its_connection) {
  Two two;
  auto& [scene, writer, watcher] = two;
  (void)scene.run(watcher, wire::AddWatch{"/", 1});
  scene.engine.disconnect(watcher.connection);
  (void)scene.run(writer, create("/a"));
  EXPECT_EQ(scene.told(), Tellings{});
  EXPECT_FALSE(scene.engine.sweep(10));
  // What was asked for while it went is not set afterwards.
  (void)scene.run(watcher, wire::GetChildren{"/", true});
  EXPECT_EQ(scene.engine.child_watches().size(), 0u);
}

TEST(Watch, that_is_added_is_answered_with_a_body) {
  Two two;
  auto& [scene, writer, watcher] = two;
  const auto outcome = scene.run(watcher, wire::AddWatch{"/a", 0});
  EXPECT_EQ(outcome.code, Code::ok);
  EXPECT_EQ(outcome.body, std::string(4, '\0'));
  EXPECT_EQ(scene.code(watcher, wire::AddWatch{"/a", 2}), Code::marshalling_error);
  EXPECT_EQ(scene.code(watcher, wire::AddWatch{"/a", -1}), Code::marshalling_error);
}

TEST(Watch, is_found_and_removed_by_its_kind) {
  Two two;
  auto& [scene, writer, watcher] = two;
  (void)scene.run(watcher, wire::Exists{"/a", true});
  EXPECT_EQ(scene.code(watcher, wire::CheckWatches{"/a", 1, false}), Code::no_watcher);
  EXPECT_EQ(scene.code(watcher, wire::CheckWatches{"/a", 2, false}), Code::ok);
  EXPECT_EQ(scene.code(watcher, wire::CheckWatches{"/a", 3, false}), Code::ok);
  EXPECT_EQ(scene.code(watcher, wire::CheckWatches{"/a", 0, false}), Code::marshalling_error);
  EXPECT_EQ(scene.code(writer, wire::CheckWatches{"/a", 3, true}), Code::no_watcher);
  EXPECT_EQ(scene.code(watcher, wire::CheckWatches{"/a", 3, true}), Code::ok);
  EXPECT_EQ(scene.code(watcher, wire::CheckWatches{"/a", 3, true}), Code::no_watcher);
}

TEST(SetWatches, tells_what_happened_meanwhile_and_watches_the_rest) {
  Two two;
  auto& [scene, writer, watcher] = two;
  for (const auto* path : {"/same", "/data", "/children"}) (void)scene.run(writer, create(path));
  const auto seen = scene.zxid;
  (void)scene.run(writer, wire::SetData{"/data", "x"});
  (void)scene.run(writer, create("/children/a"));
  (void)scene.run(writer, create("/new"));
  EXPECT_EQ(scene.code(watcher, wire::SetWatches{.relative_zxid = seen,
                                                 .data = {"/gone", "/data", "/same", "/children"},
                                                 .exist = {"/new", "/later"},
                                                 .children = {"/gone", "/children", "/same"},
                                                 .persistent = {"/p"},
                                                 .recursive = {"/r"}}),
            Code::ok);
  EXPECT_EQ(scene.told(), (Tellings{{2, node_deleted, "/gone"},
                                    {2, node_data_changed, "/data"},
                                    {2, node_created, "/new"},
                                    {2, node_deleted, "/gone"},
                                    {2, node_children_changed, "/children"}}));
  (void)scene.run(writer, wire::SetData{"/same", "x"});
  (void)scene.run(writer, create("/same/a"));
  (void)scene.run(writer, create("/later"));
  (void)scene.run(writer, create("/p"));
  (void)scene.run(writer, create("/r"));
  (void)scene.run(writer, create("/r/a"));
  (void)scene.run(writer, wire::SetData{"/p", "x"});
  EXPECT_EQ(scene.told(), (Tellings{{2, node_data_changed, "/same"},
                                    {2, node_children_changed, "/same"},
                                    {2, node_created, "/later"},
                                    {2, node_created, "/p"},
                                    {2, node_created, "/r"},
                                    {2, node_created, "/r/a"},
                                    {2, node_data_changed, "/p"}}));
}

TEST(Watch, is_refused_to_a_client_that_has_as_many_as_it_may) {
  Scene scene({.watches_per_session = 3});
  const auto me = scene.client(1);
  EXPECT_EQ(scene.code(me, wire::Exists{"/a", true}), Code::no_node);
  EXPECT_EQ(scene.code(me, wire::SetWatches{.exist = {"/b", "/c", "/d"}}), Code::system_error);
  EXPECT_EQ(scene.code(me, wire::SetWatches{.persistent = {"/b", "/c"}}), Code::system_error);
  EXPECT_EQ(scene.code(me, wire::AddWatch{"/b", 0}), Code::ok);
  EXPECT_EQ(scene.code(me, wire::Exists{"/c", true}), Code::system_error);
  EXPECT_EQ(scene.code(me, wire::AddWatch{"/c", 1}), Code::system_error);
  EXPECT_EQ(scene.code(me, wire::SetWatches{.exist = {"/c"}}), Code::system_error);
  EXPECT_EQ(scene.code(me, wire::Exists{"/c", false}), Code::no_node);
  EXPECT_EQ(scene.engine.data_watches().size() + scene.engine.child_watches().size(), 3u);
}

TEST(Watch, of_a_greedy_client_leaves_as_many_to_every_other_as_it_has_itself) {
  Scene scene({.watches = 120});
  const auto greedy = [&](const Client& client) {
    int count = 0;
    while (scene.code(client, wire::Exists{"/" + std::to_string(count), true}) == Code::no_node) ++count;
    return count;
  };
  EXPECT_EQ(greedy(scene.client(1)), 60);
  EXPECT_EQ(greedy(scene.client(2)), 30);
  EXPECT_EQ(greedy(scene.client(3)), 15);
  const auto modest = scene.client(4);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(scene.code(modest, wire::Exists{"/m" + std::to_string(i), true}), Code::no_node);
}

TEST(Watch, is_refused_to_a_client_whose_paths_take_more_than_they_leave_to_others) {
  Scene scene({.watched_bytes = 1'000});
  const auto greedy = scene.client(1);
  EXPECT_EQ(scene.code(greedy, wire::Exists{"/" + std::string(600, 'x'), true}), Code::system_error);
  EXPECT_EQ(scene.code(greedy, wire::Exists{"/" + std::string(400, 'x'), true}), Code::no_node);
  EXPECT_EQ(scene.code(greedy, wire::Exists{"/" + std::string(200, 'y'), true}), Code::system_error);
  EXPECT_EQ(scene.code(scene.client(2), wire::Exists{"/" + std::string(200, 'y'), true}), Code::no_node);
}

TEST(Watch, that_is_gone_with_its_connection_makes_room_once_it_is_swept) {
  Scene scene({.watches = 20});
  const auto gone = scene.client(1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(scene.code(gone, wire::Exists{"/" + std::to_string(i), true}), Code::no_node);
  scene.engine.disconnect(gone.connection);
  EXPECT_TRUE(scene.engine.sweep(4));
  EXPECT_FALSE(scene.engine.sweep(20));
  EXPECT_EQ(scene.engine.data_watches().size(), 0u);
}

// One node, changed again and again in one request, and all who watch it are told each time.
TEST(Events, of_one_request_are_limited) {
  Scene scene({.events = 100});
  const auto me = scene.client(1);
  (void)scene.run(me, create("/a"));
  for (wire::SessionId watcher = 2; watcher < 12; ++watcher) {
    EXPECT_EQ(scene.code(scene.client(watcher), wire::AddWatch{"/a", 0}), Code::ok);
  }
  wire::Multi request;
  request.steps.resize(10, wire::SetData{"/a", "x"});
  EXPECT_EQ(scene.code(me, request), Code::ok);
  EXPECT_EQ(scene.told().size(), 100u);
  request.steps.resize(11, wire::SetData{"/a", "x"});
  EXPECT_EQ(scene.code(me, request), Code::system_error);
  EXPECT_EQ(scene.told().size(), 0u);
  EXPECT_EQ(scene.stat("/a").version, 10);
}

struct Secret {
  Scene scene;
  Client owner = scene.client(1, {{"digest", "bob:x"}});
  Client watcher = scene.client(2, {{"digest", "eve:x"}});
  wire::AclList mine{{wire::permission::kAll, {"auth", ""}}};
};

TEST(Watch, does_not_tell_of_a_node_that_may_not_be_read) {
  Secret secret;
  auto& scene = secret.scene;
  (void)scene.run(secret.watcher, wire::AddWatch{"/", 1});
  auto hidden = create("/hidden");
  hidden.acl = secret.mine;
  ASSERT_EQ(scene.code(secret.owner, hidden), Code::ok);
  ASSERT_EQ(scene.code(secret.owner, wire::SetData{"/hidden", "x"}), Code::ok);
  ASSERT_EQ(scene.code(secret.owner, create("/hidden/open")), Code::ok);
  ASSERT_EQ(scene.code(secret.owner, wire::Remove{"/hidden/open"}), Code::ok);
  ASSERT_EQ(scene.code(secret.owner, wire::Remove{"/hidden"}), Code::ok);
  EXPECT_EQ(scene.told(), (Tellings{{2, node_created, "/hidden/open"}, {2, node_deleted, "/hidden/open"}}));
}

// What is executed in one go settles one after the other: a list that was set later says nothing about what was before.
TEST(Watch, is_withheld_by_the_list_that_the_node_had_when_it_happened) {
  Secret secret;
  auto& [scene, owner, watcher, mine] = secret;
  ASSERT_EQ(scene.code(owner, create("/a")), Code::ok);
  (void)scene.run(watcher, wire::GetData{"/a", true});
  (void)scene.run(watcher, wire::GetChildren{"/a", true});
  const wire::Request set = wire::SetData{"/a", "x"};
  const wire::Request child = create("/a/b");
  const wire::Request gone = wire::Remove{"/a/b"};
  const wire::Request hide = wire::SetAcl{"/a", mine};
  auto first = scene.execute(owner, set);
  auto second = scene.execute(owner, child);
  auto third = scene.execute(owner, gone);
  auto fourth = scene.execute(owner, hide);
  ASSERT_EQ(fourth.code, Code::ok);
  scene.settle(owner, set, first);
  scene.settle(owner, child, second);
  scene.settle(owner, gone, third);
  scene.settle(owner, hide, fourth);
  EXPECT_EQ(scene.told(), (Tellings{{2, node_data_changed, "/a"}, {2, node_children_changed, "/a"}}));
}

// Of nodes that are gone when it is their turn to be told of.
TEST(Event, comes_in_the_order_of_executing_also_if_all_is_executed_before_anything_settles) {
  Two two;
  auto& [scene, writer, watcher] = two;
  (void)scene.run(watcher, wire::AddWatch{"/", 1});
  const std::vector<wire::Request> requests{create("/a"), create("/a/b"), wire::SetData{"/a/b", "x"},
                                            wire::Remove{"/a/b"}, wire::Remove{"/a"}};
  std::vector<Outcome> outcomes;
  for (const auto& request : requests) outcomes.push_back(scene.execute(writer, request));
  EXPECT_EQ(scene.told(), Tellings{});
  for (std::size_t i = 0; i < requests.size(); ++i) scene.settle(writer, requests[i], outcomes[i]);
  EXPECT_EQ(scene.told(), (Tellings{{2, node_created, "/a"},
                                    {2, node_created, "/a/b"},
                                    {2, node_data_changed, "/a/b"},
                                    {2, node_deleted, "/a/b"},
                                    {2, node_deleted, "/a"}}));
}

}  // namespace
}  // namespace holdfast::engine
