#include "zk_frame.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::testing {
namespace {

using namespace std::string_literals;

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
  return text;
}
std::string i32(std::int64_t value) { return number(static_cast<std::uint64_t>(value), 4); }
std::string i64(std::int64_t value) { return number(static_cast<std::uint64_t>(value), 8); }
std::string str(const std::string& text) { return i32(static_cast<int>(text.size())) + text; }
std::string framed(const std::string& body) { return str(body); }

TEST(ZkFrame, decodes_requests) {
  const auto create = decode_request(i32(7) + i32(15) + str("/a/lock-") + str("data"));
  EXPECT_EQ(create.xid, 7);
  EXPECT_EQ(create.op, Op::create2);
  EXPECT_EQ(create.path, "/a/lock-");
  EXPECT_FALSE(create.watch);
  const auto exists = decode_request(i32(8) + i32(3) + str("/a") + "\1"s);
  EXPECT_EQ(exists.op, Op::exists);
  EXPECT_TRUE(exists.watch);
  const auto ping = decode_request(i32(-2) + i32(11));
  EXPECT_EQ(ping.xid, kPingXid);
  EXPECT_EQ(ping.op, Op::ping);
  EXPECT_EQ(ping.path, "");
  const auto watches = decode_request(i32(-8) + i32(101) + i64(5) + i32(1) + str("/a"));
  EXPECT_EQ(watches.xid, kSetWatchesXid);
  EXPECT_EQ(watches.op, Op::set_watches);
  EXPECT_EQ(watches.path, "");
}

TEST(ZkFrame, decodes_handshakes) {
  const auto request = decode_connect_request(i32(0) + i64(9) + i32(6'000) + i64(0x1234) + str("0123456789abcdef"));
  EXPECT_EQ(request.op, Op::connect);
  EXPECT_EQ(request.timeout, std::chrono::seconds{6});
  EXPECT_EQ(request.session_id, 0x1234u);
  const auto reply = decode_connect_reply(i32(0) + i32(4'000) + i64(0x1235) + str("0123456789abcdef"));
  EXPECT_EQ(reply.timeout, std::chrono::seconds{4});
  EXPECT_EQ(reply.session_id, 0x1235u);
}

TEST(ZkFrame, decodes_replies_and_events) {
  const auto reply = decode_reply(i32(7) + i64(99) + i32(0) + str("/a/lock-0000000001"));
  EXPECT_EQ(reply.xid, 7);
  EXPECT_EQ(reply.zxid, 99);
  EXPECT_EQ(reply.err, 0);
  EXPECT_EQ(reply.first_string, "/a/lock-0000000001");
  EXPECT_EQ(decode_reply(i32(7) + i64(99) + i32(-101)).err, -101);
  const auto event = decode_event(i32(-1) + i64(-1) + i32(0) + i32(2) + i32(3) + str("/a"));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, 2);
  EXPECT_EQ(event->state, 3);
  EXPECT_EQ(event->path, "/a");
  EXPECT_FALSE(decode_event(i32(7) + i64(99) + i32(0)));
}

TEST(ZkFrame, survives_bodies_that_are_too_short_or_lie) {
  EXPECT_EQ(decode_request("").op, Op::notification);
  EXPECT_EQ(decode_request(i32(1) + i32(1) + i32(1'000) + "abc").path, "");
  EXPECT_EQ(decode_request(i32(1) + i32(1) + i32(-1)).path, "");
  EXPECT_EQ(to_string(decode_request(i32(1) + i32(4711)).op), "unknown");
}

TEST(FrameSplitter, does_not_mind_how_the_bytes_come) {
  const std::string stream = framed("one") + framed("") + framed("three");
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    FrameSplitter splitter;
    std::vector<std::string> frames;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      splitter.add(std::string_view(stream).substr(at, piece));
      while (const auto frame = splitter.next()) frames.emplace_back(*frame);
    }
    EXPECT_EQ(frames, (std::vector{framed("one"), framed(""), framed("three")})) << "in pieces of " << piece;
    EXPECT_EQ(splitter.rest(), "");
  }
}

TEST(FrameSplitter, recognises_what_is_no_frame) {
  FrameSplitter splitter;
  splitter.add("ruok");
  EXPECT_FALSE(splitter.next());
  EXPECT_TRUE(splitter.broken());
  EXPECT_EQ(splitter.rest(), "ruok");
}

}  // namespace
}  // namespace holdfast::testing
