// Every operation, by the bytes that a ZooKeeper client sends.
#include "wire/request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace holdfast::wire {
namespace {

using namespace std::string_view_literals;

#define PATH "\0\0\0\2/a"
#define DATA "\0\0\0\3xyz"
#define NULLS "\xff\xff\xff\xff"
#define OPEN_ACL "\0\0\0\1\0\0\0\x1f\0\0\0\5world\0\0\0\6anyone"
#define VERSION "\0\0\0\7"
#define STEP(op) "\0\0\0" op "\0" NULLS
#define LAST_STEP NULLS "\1" NULLS

const AclList kOpen{{permission::kAll, {"world", "anyone"}}};

Request decoded(Op op, std::string_view bytes) {
  Reader reader(bytes);
  auto request = decode_request(op, reader);
  EXPECT_EQ(reader.left(), 0u) << static_cast<int>(op);
  return request;
}

template <class T>
T decoded_as(Op op, std::string_view bytes) {
  const auto request = decoded(op, bytes);
  EXPECT_TRUE(std::holds_alternative<T>(request)) << static_cast<int>(op);
  return std::holds_alternative<T>(request) ? std::get<T>(request) : T{};
}

TEST(Request, every_kind_of_create) {
  for (const auto op : {Op::create, Op::create2, Op::create_container}) {
    const auto create = decoded_as<Create>(op, PATH DATA OPEN_ACL "\0\0\0\3"sv);
    EXPECT_EQ(create.op, op);
    EXPECT_EQ(create.path, "/a");
    EXPECT_EQ(create.data, "xyz");
    EXPECT_EQ(create.acl, kOpen);
    EXPECT_EQ(create.flags, 3);
    EXPECT_EQ(create.ttl, -1);
  }
}

TEST(Request, create_ttl_has_a_time_to_live) {
  const auto create = decoded_as<Create>(Op::create_ttl, PATH NULLS NULLS "\0\0\0\5\0\0\0\0\0\0\1\0"sv);
  EXPECT_EQ(create.data, std::nullopt);
  EXPECT_TRUE(create.acl.empty());
  EXPECT_EQ(create.flags, 5);
  EXPECT_EQ(create.ttl, 256);
}

TEST(Request, writes_to_one_node) {
  EXPECT_EQ(decoded_as<Remove>(Op::remove, PATH VERSION ""sv).version, 7);
  const auto set = decoded_as<SetData>(Op::set_data, PATH DATA NULLS ""sv);
  EXPECT_EQ(set.path, "/a");
  EXPECT_EQ(set.data, "xyz");
  EXPECT_EQ(set.version, -1);
  const auto acl = decoded_as<SetAcl>(Op::set_acl, PATH OPEN_ACL VERSION ""sv);
  EXPECT_EQ(acl.path, "/a");
  EXPECT_EQ(acl.acl, kOpen);
  EXPECT_EQ(acl.version, 7);
  const auto check = decoded_as<Check>(Op::check, PATH VERSION ""sv);
  EXPECT_EQ(check.path, "/a");
  EXPECT_EQ(check.version, 7);
}

TEST(Request, reads_of_one_node) {
  const auto exists = decoded_as<Exists>(Op::exists, PATH "\1"sv);
  EXPECT_EQ(exists.path, "/a");
  EXPECT_TRUE(exists.watch);
  EXPECT_FALSE(decoded_as<GetData>(Op::get_data, PATH "\0"sv).watch);
  EXPECT_EQ(decoded_as<GetAcl>(Op::get_acl, PATH ""sv).path, "/a");
  EXPECT_FALSE(decoded_as<GetChildren>(Op::get_children, PATH "\1"sv).with_stat);
  const auto children = decoded_as<GetChildren>(Op::get_children2, PATH "\1"sv);
  EXPECT_TRUE(children.with_stat);
  EXPECT_TRUE(children.watch);
  EXPECT_EQ(decoded_as<Sync>(Op::sync, PATH ""sv).path, "/a");
  EXPECT_EQ(decoded_as<GetAllChildrenNumber>(Op::get_all_children_number, PATH ""sv).path, "/a");
  EXPECT_EQ(decoded_as<GetEphemerals>(Op::get_ephemerals, PATH ""sv).prefix, "/a");
  EXPECT_EQ(decoded_as<GetEphemerals>(Op::get_ephemerals, NULLS ""sv).prefix, "");
}

TEST(Request, a_multi_of_every_write) {
  const auto multi = decoded_as<Multi>(Op::multi,
                                       STEP("\x01") PATH DATA OPEN_ACL "\0\0\0\1"  // create
                                       STEP("\x15") PATH DATA OPEN_ACL
                                       "\0\0\0\5"                                                    // createTTL
                                       "\0\0\0\0\0\0\0\x09" STEP("\x02") PATH VERSION                // delete
                                           STEP("\x05") PATH DATA VERSION STEP("\x0d") PATH VERSION  // setData, check
                                               LAST_STEP ""sv);
  ASSERT_EQ(multi.steps.size(), 5u);
  EXPECT_EQ(std::get<Create>(multi.steps[0]).flags, 1);
  EXPECT_EQ(std::get<Create>(multi.steps[1]).ttl, 9);
  EXPECT_EQ(std::get<Remove>(multi.steps[2]).version, 7);
  EXPECT_EQ(std::get<SetData>(multi.steps[3]).data, "xyz");
  EXPECT_EQ(std::get<Check>(multi.steps[4]).path, "/a");
}

TEST(Request, a_multi_read) {
  const auto multi =
      decoded_as<MultiRead>(Op::multi_read, STEP("\x04") PATH "\0" STEP("\x08") PATH "\0" LAST_STEP ""sv);
  ASSERT_EQ(multi.steps.size(), 2u);
  EXPECT_EQ(std::get<GetData>(multi.steps[0]).path, "/a");
  EXPECT_EQ(std::get<GetChildren>(multi.steps[1]).path, "/a");
}

TEST(Request, a_multi_of_nothing_is_one) {
  EXPECT_TRUE(decoded_as<Multi>(Op::multi, LAST_STEP ""sv).steps.empty());
  EXPECT_TRUE(decoded_as<MultiRead>(Op::multi_read, LAST_STEP ""sv).steps.empty());
}

TEST(Request, reads_and_writes_do_not_mix) {
  EXPECT_TRUE(decoded_as<Malformed>(Op::multi, STEP("\x04") PATH "\0" LAST_STEP ""sv).would_write);
  EXPECT_FALSE(decoded_as<Malformed>(Op::multi_read, STEP("\x02") PATH VERSION LAST_STEP ""sv).would_write);
}

TEST(Request, a_multi_inside_a_multi_is_malformed) {
  (void)decoded_as<Malformed>(Op::multi, STEP("\x0e") LAST_STEP LAST_STEP ""sv);
}

TEST(Request, a_multi_without_an_end_is_malformed) {
  (void)decoded_as<Malformed>(Op::multi, STEP("\x02") PATH VERSION ""sv);
}

TEST(Request, what_is_about_watches) {
  const auto check = decoded_as<CheckWatches>(Op::check_watches, PATH "\0\0\0\2"sv);
  EXPECT_EQ(check.path, "/a");
  EXPECT_EQ(check.kind, 2);
  EXPECT_FALSE(check.remove);
  EXPECT_TRUE(decoded_as<CheckWatches>(Op::remove_watches, PATH "\0\0\0\3"sv).remove);
  const auto add = decoded_as<AddWatch>(Op::add_watch, PATH "\0\0\0\1"sv);
  EXPECT_EQ(add.path, "/a");
  EXPECT_EQ(add.mode, 1);
  const auto set = decoded_as<SetWatches>(Op::set_watches, "\0\0\0\0\0\0\0\5\0\0\0\1" PATH NULLS "\0\0\0\0"sv);
  EXPECT_EQ(set.relative_zxid, 5);
  EXPECT_EQ(set.data, std::vector<std::string>{"/a"});
  EXPECT_TRUE(set.exist.empty() && set.children.empty() && set.persistent.empty() && set.recursive.empty());
  const auto set2 = decoded_as<SetWatches>(Op::set_watches2, "\0\0\0\0\0\0\0\5" NULLS "\0\0\0\1" PATH
                                                             "\0\0\0\1\0\0\0\2/b\0\0\0\1\0\0\0\2/c\0\0\0\1" PATH ""sv);
  EXPECT_EQ(set2.exist, std::vector<std::string>{"/a"});
  EXPECT_EQ(set2.children, std::vector<std::string>{"/b"});
  EXPECT_EQ(set2.persistent, std::vector<std::string>{"/c"});
  EXPECT_EQ(set2.recursive, std::vector<std::string>{"/a"});
}

TEST(Request, what_has_no_body) {
  (void)decoded_as<WhoAmI>(Op::who_am_i, "");
  (void)decoded_as<CloseSession>(Op::close_session, "");
}

// Only the server itself removes containers, and it does not ask over the network.
TEST(Request, nobody_can_name_a_container_to_be_removed) {
  Reader reader(PATH ""sv);
  EXPECT_EQ(std::get<RemoveContainer>(decode_request(Op::delete_container, reader)).path, "");
}

TEST(Request, what_nobody_knows_is_unknown) {
  for (const int op : {0, -1, 10, 16 + 7, 99, 108, -10, 1 << 30}) {
    (void)decoded_as<Unknown>(static_cast<Op>(op), "");
  }
}

TEST(Request, takes_a_zxid_if_it_would_write) {
  EXPECT_TRUE(is_write(Create{}));
  EXPECT_TRUE(is_write(Check{}));
  EXPECT_TRUE(is_write(Multi{}));
  EXPECT_TRUE(is_write(CloseSession{}));
  EXPECT_TRUE(is_write(Reconfig{}));
  EXPECT_FALSE(is_write(MultiRead{}));
  EXPECT_FALSE(is_write(Exists{}));
  EXPECT_FALSE(is_write(Sync{}));
  EXPECT_FALSE(is_write(AddWatch{}));
  EXPECT_FALSE(is_write(Unknown{}));
}

struct Whole {
  Op op;
  std::string_view bytes;
};

// What is cut off is never guessed, and a write that cannot be read is a write all the same.
TEST(Request, that_is_cut_short_is_malformed) {
  constexpr Whole kAll[] = {{Op::create, PATH DATA OPEN_ACL VERSION ""sv},
                            {Op::create_ttl, PATH DATA OPEN_ACL VERSION "\0\0\0\0\0\0\0\1"sv},
                            {Op::remove, PATH VERSION ""sv},
                            {Op::exists, PATH "\0"sv},
                            {Op::set_data, PATH DATA VERSION ""sv},
                            {Op::get_acl, PATH ""sv},
                            {Op::set_acl, PATH OPEN_ACL VERSION ""sv},
                            {Op::get_children2, PATH "\1"sv},
                            {Op::sync, PATH ""sv},
                            {Op::check, PATH VERSION ""sv},
                            {Op::multi, STEP("\x02") PATH VERSION LAST_STEP ""sv},
                            {Op::multi_read, STEP("\x04") PATH "\0" LAST_STEP ""sv},
                            {Op::remove_watches, PATH VERSION ""sv},
                            {Op::set_watches, "\0\0\0\0\0\0\0\5\0\0\0\1" PATH NULLS NULLS ""sv},
                            {Op::set_watches2, "\0\0\0\0\0\0\0\5" NULLS NULLS NULLS NULLS NULLS ""sv},
                            {Op::add_watch, PATH VERSION ""sv},
                            {Op::get_ephemerals, PATH ""sv},
                            {Op::get_all_children_number, PATH ""sv}};
  for (const auto& whole : kAll) {
    const auto request = decoded(whole.op, whole.bytes);
    EXPECT_FALSE(std::holds_alternative<Malformed>(request)) << static_cast<int>(whole.op);
    for (std::size_t length = 0; length < whole.bytes.size(); ++length) {
      const auto cut = decoded(whole.op, whole.bytes.substr(0, length));
      ASSERT_TRUE(std::holds_alternative<Malformed>(cut)) << static_cast<int>(whole.op) << " at " << length;
      EXPECT_EQ(is_write(cut), is_write(request));
    }
  }
}

}  // namespace
}  // namespace holdfast::wire
