#include "wire/records.h"

#include <gtest/gtest.h>

#include <string_view>

namespace holdfast::wire {
namespace {

using namespace std::string_view_literals;

TEST(Records, a_connect_request_of_an_old_client_has_no_read_only_flag) {
  constexpr auto kOld =
      "\0\0\0\0"
      "\0\0\0\0\0\0\0\7"
      "\0\0\x27\x10"
      "\1\0\0\0\0\0\0\2"
      "\0\0\0\2pw"sv;
  ConnectRequest request;
  Reader reader(kOld);
  ASSERT_TRUE(decode(reader, request));
  EXPECT_EQ(request.last_zxid_seen, 7);
  EXPECT_EQ(request.timeout, 10'000);
  EXPECT_EQ(request.session, 0x0100'0000'0000'0002);
  EXPECT_EQ(request.password, "pw");
  EXPECT_FALSE(request.has_read_only);
  Writer writer;
  encode(writer, request);
  EXPECT_EQ(writer.bytes(), kOld);
}

TEST(Records, a_connect_request_of_a_new_client_has_one) {
  Writer writer;
  encode(writer, ConnectRequest{.timeout = 1, .read_only = true, .has_read_only = true});
  ConnectRequest request;
  Reader reader(writer.bytes());
  ASSERT_TRUE(decode(reader, request));
  EXPECT_TRUE(request.has_read_only);
  EXPECT_TRUE(request.read_only);
  EXPECT_EQ(request.password, std::nullopt);
}

TEST(Records, a_connect_request_that_is_cut_short_is_refused) {
  Writer writer;
  encode(writer, ConnectRequest{.password = std::string(16, 'x')});
  for (std::size_t length = 0; length < writer.size(); ++length) {
    ConnectRequest request;
    Reader reader(std::string_view(writer.bytes()).substr(0, length));
    EXPECT_FALSE(decode(reader, request)) << length;
  }
}

TEST(Records, a_connect_response_is_as_long_as_the_client_expects) {
  Writer with;
  encode(with, ConnectResponse{.timeout = 4'000, .session = 9});
  EXPECT_EQ(with.size(), 4u + 4 + 8 + 4 + 16 + 1);
  Writer without;
  encode(without, ConnectResponse{.timeout = 4'000, .session = 9, .has_read_only = false});
  EXPECT_EQ(without.size(), 4u + 4 + 8 + 4 + 16);
  ConnectResponse response;
  Reader reader(without.bytes());
  ASSERT_TRUE(decode(reader, response));
  EXPECT_EQ(response.timeout, 4'000);
  EXPECT_EQ(response.session, 9);
  EXPECT_FALSE(response.has_read_only);
}

TEST(Records, a_stat_has_68_bytes_in_the_order_of_zookeeper) {
  const Stat stat{.czxid = 1,
                  .mzxid = 2,
                  .ctime = 3,
                  .mtime = 4,
                  .version = 5,
                  .cversion = 6,
                  .aversion = 7,
                  .ephemeral_owner = 8,
                  .data_length = 9,
                  .num_children = 10,
                  .pzxid = 11};
  Writer writer;
  encode(writer, stat);
  EXPECT_EQ(writer.bytes(),
            "\0\0\0\0\0\0\0\1"
            "\0\0\0\0\0\0\0\2"
            "\0\0\0\0\0\0\0\3"
            "\0\0\0\0\0\0\0\4"
            "\0\0\0\5\0\0\0\6\0\0\0\7"
            "\0\0\0\0\0\0\0\x08"
            "\0\0\0\x09\0\0\0\x0a"
            "\0\0\0\0\0\0\0\x0b"sv);
  Reader reader(writer.bytes());
  EXPECT_EQ(decode_stat(reader), stat);
}

TEST(Records, an_acl_comes_back_as_it_was) {
  const AclList acls{{permission::kAll, {"world", "anyone"}}, {permission::kRead, {"digest", "a:b"}}};
  Writer writer;
  encode(writer, acls);
  Reader reader(writer.bytes());
  EXPECT_EQ(decode_acls(reader), acls);
  EXPECT_TRUE(reader.ok());
}

TEST(Records, a_frame_begins_with_its_length) { EXPECT_EQ(frame("abc"), "\0\0\0\3abc"sv); }

TEST(Records, a_reply_has_number_zxid_and_code_before_its_body) {
  EXPECT_EQ(reply_frame(5, 0x1'0000'0002, Code::no_node, "x"),
            "\0\0\0\x11"
            "\0\0\0\5"
            "\0\0\0\1\0\0\0\2"
            "\xff\xff\xff\x9b"
            "x"sv);
}

TEST(Records, an_event_is_a_reply_to_nobody) {
  EXPECT_EQ(event_frame({EventType::node_deleted, "/a"}),
            "\0\0\0\x1e"
            "\xff\xff\xff\xff"
            "\xff\xff\xff\xff\xff\xff\xff\xff"
            "\0\0\0\0"
            "\0\0\0\2"
            "\0\0\0\3"
            "\0\0\0\2/a"sv);
}

}  // namespace
}  // namespace holdfast::wire
