// What requests that only look are answered with.
#include "engine/reads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/engine/scene.h"

namespace holdfast::engine {
namespace {

using testing::create;
using testing::Scene;
using wire::Code;
using wire::CreateMode;

const std::vector<std::string> kNone{};

// One frame can name the largest node tens of thousands of times.
TEST(Reads, gives_up_a_multi_read_as_soon_as_its_answer_is_too_long) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/a", CreateMode::persistent, std::string(10'000, 'x')));
  wire::MultiRead request;
  request.steps.resize(1'000, wire::GetData{"/a"});
  wire::Writer answer;
  const Identities no_identities;
  const Permissions permissions(no_identities);
  const Reads reads(scene.engine.tree(), permissions, 1, 15'000);
  EXPECT_EQ(reads(request, answer), Code::marshalling_error);
  EXPECT_LT(answer.size(), 30'000u);
}

TEST(Reads, refuses_a_multi_read_of_long_lists_before_it_makes_any_of_them) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/a"));
  for (int i = 0; i < 100; ++i) (void)scene.run(me, create("/a/" + std::string(100, 'x') + std::to_string(i)));
  const Identities no_identities;
  const Permissions permissions(no_identities);
  const Reads reads(scene.engine.tree(), permissions, 1, 25'000);
  wire::MultiRead request;
  request.steps.resize(2, wire::GetChildren{"/a"});
  wire::Writer answer;
  EXPECT_EQ(reads(request, answer), Code::ok);
  request.steps.resize(3, wire::GetChildren{"/a"});
  wire::Writer none;
  EXPECT_EQ(reads(request, none), Code::marshalling_error);
  EXPECT_EQ(none.size(), 0u);
}

// All others wait for it.
TEST(Reads, gives_up_a_multi_read_that_would_take_long_though_a_single_answer_may_be_longer) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/a", CreateMode::persistent, std::string(1'000'000, 'x')));
  wire::MultiRead request;
  request.steps.resize(8, wire::GetData{"/a"});
  EXPECT_EQ(scene.run(me, request).code, Code::ok);
  request.steps.resize(12, wire::GetData{"/a"});
  EXPECT_EQ(scene.run(me, request).code, Code::marshalling_error);
}

TEST(Reads, says_which_step_of_a_multi_read_failed) {
  Scene scene;
  const auto me = scene.client(1);
  (void)scene.run(me, create("/a", CreateMode::persistent, "x"));
  const auto outcome = scene.run(me, wire::MultiRead{{wire::GetData{"/none"}, wire::GetData{"/a"}}});
  wire::Reader reader(outcome.body);
  EXPECT_EQ(reader.i32(), -1);
  EXPECT_FALSE(reader.boolean());
  EXPECT_EQ(reader.i32(), -101);
  EXPECT_EQ(reader.i32(), -101);
  EXPECT_EQ(reader.i32(), 4);
  EXPECT_FALSE(reader.boolean());
  EXPECT_EQ(reader.i32(), 0);
  EXPECT_EQ(reader.text(), "x");
  EXPECT_EQ(decode_stat(reader), scene.stat("/a"));
  EXPECT_EQ(reader.i32(), -1);
  EXPECT_TRUE(reader.boolean());
  EXPECT_EQ(reader.i32(), -1);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.left(), 0u);
}

TEST(Reads, tells_null_from_empty) {
  Scene scene;
  const auto me = scene.client(1);
  auto null = create("/null");
  null.data.reset();
  (void)scene.run(me, null);
  (void)scene.run(me, create("/empty"));
  EXPECT_EQ(scene.run(me, wire::GetData{"/null"}).body.substr(0, 4), "\xff\xff\xff\xff");
  EXPECT_EQ(scene.run(me, wire::GetData{"/empty"}).body.substr(0, 4), std::string(4, '\0'));
}

TEST(Reads, lists_the_ephemerals_of_the_session_that_asks) {
  Scene scene;
  const auto me = scene.client(1);
  const auto other = scene.client(2);
  for (const auto* path : {"/ab", "/ac", "/b"}) (void)scene.run(me, create(path, CreateMode::ephemeral));
  (void)scene.run(other, create("/other", CreateMode::ephemeral));
  const auto listed = [&](std::string prefix) {
    const auto body = scene.run(me, wire::GetEphemerals{std::move(prefix)}).body;
    auto paths = wire::Reader(body).texts();
    std::sort(paths.begin(), paths.end());
    return paths;
  };
  EXPECT_EQ(listed(""), (std::vector<std::string>{"/ab", "/ac", "/b"}));
  EXPECT_EQ(listed("/a"), (std::vector<std::string>{"/ab", "/ac"}));
  EXPECT_EQ(listed("/none"), kNone);
}

TEST(Reads, counts_all_below) {
  Scene scene;
  const auto me = scene.client(1);
  for (const auto* path : {"/a", "/a/b", "/a/b/c", "/d"}) (void)scene.run(me, create(path));
  const auto count = [&](std::string path) {
    return wire::Reader(scene.run(me, wire::GetAllChildrenNumber{std::move(path)}).body).i32();
  };
  EXPECT_EQ(count("/a"), 2);
  EXPECT_EQ(count("/d"), 0);
  EXPECT_EQ(count("/"), 7);
}

TEST(Reads, shows_digests_only_to_who_may_change_the_list) {
  Scene scene;
  const auto bob = scene.client(1, {{"digest", "bob:secret"}});
  const auto eve = scene.client(2);
  auto node = create("/a");
  node.acl = {{wire::permission::kAll, {"auth", ""}}, {wire::permission::kRead, {"world", "anyone"}}};
  (void)scene.run(bob, node);
  const auto shown = [&](const Client& who) {
    const auto body = scene.run(who, wire::GetAcl{"/a"}).body;
    wire::Reader reader(body);
    return wire::decode_acls(reader).at(0).id.id;
  };
  EXPECT_EQ(shown(bob), "bob:secret");
  EXPECT_EQ(shown(eve), "bob:x");
}

}  // namespace
}  // namespace holdfast::engine
