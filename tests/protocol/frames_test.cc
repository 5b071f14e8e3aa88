// What is no frame, or hardly one, on the server under test: Apache, and once more the engine.
#include <gtest/gtest.h>

#include "asker.h"
#include "server_pair.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t kLongest = 0xfffff;  // jute.maxbuffer

class Frames : public ::testing::Test {
 protected:
  // Of a session that lives on: it is resumed afterwards.
  bool closes_for(const std::string& bytes) {
    Asker asker(server_.port());
    asker.raw().send(bytes);
    const bool closed = asker.is_closed(3s);
    const Asker again(server_.port(), {.session = asker.session(), .password = asker.password()});
    EXPECT_EQ(again.session(), asker.session());
    return closed;
  }
  static std::string length(std::int32_t value) { return JuteWriter().i32(value).bytes(); }

  ZooKeeperServer server_{server_options(server_make_under_test())};
};

TEST_F(Frames, without_a_whole_header_end_the_connection) {
  EXPECT_TRUE(closes_for(length(0)));
  EXPECT_TRUE(closes_for(length(3) + "abc"));
  EXPECT_TRUE(closes_for(length(7) + "abcdefg"));
}

TEST_F(Frames, of_an_impossible_length_end_the_connection) {
  EXPECT_TRUE(closes_for(length(-1)));
  EXPECT_TRUE(closes_for(length(INT32_MIN)));
  EXPECT_TRUE(closes_for(length(kLongest + 1)));
  EXPECT_TRUE(closes_for(length(INT32_MAX)));
  EXPECT_TRUE(closes_for("ruok")) << "a word is none behind a handshake";
}

TEST_F(Frames, of_the_longest_length_are_served) {
  Asker asker(server_.port());
  const auto around = static_cast<std::int32_t>(8 + create_payload("/a").bytes().size());
  EXPECT_EQ(asker.err(Op::create, create_payload("/a", std::string(static_cast<std::size_t>(kLongest - around), 'd'))),
            0);
  EXPECT_EQ(
      asker.err(Op::create, create_payload("/b", std::string(static_cast<std::size_t>(kLongest - around + 1), 'd'))),
      std::nullopt);
}

TEST_F(Frames, that_come_byte_by_byte_are_served) {
  Asker asker(server_.port());
  const std::string frame = RawClient::framed(JuteWriter().i32(1).i32(3).text("/").boolean(false).bytes());
  for (const char byte : frame) asker.raw().send({&byte, 1});
  EXPECT_EQ(asker.raw().receive().outcome, RawClient::Outcome::frame);
}

TEST_F(Frames, behind_the_end_of_a_session_do_nothing) {
  Asker asker(server_.port());
  const auto close = JuteWriter().i32(1).i32(static_cast<std::int32_t>(Op::close_session));
  const auto create = JuteWriter().i32(2).i32(1).raw(create_payload("/late", "", 1).bytes());
  asker.raw().send(RawClient::framed(close.bytes()) + RawClient::framed(create.bytes()));
  EXPECT_TRUE(asker.is_closed());
  EXPECT_EQ(Asker(server_.port()).err(Op::exists, JuteWriter().text("/late").boolean(false)), -101);
}

TEST_F(Frames, of_a_malformed_handshake_end_the_connection) {
  const std::string handshake = Handshake{}.bytes();
  for (const std::size_t size : {std::size_t{0}, std::size_t{4}, std::size_t{24}, std::size_t{30}}) {
    RawClient client(server_.port());
    client.send_frame(handshake.substr(0, size));
    EXPECT_EQ(client.receive(3s).outcome, RawClient::Outcome::closed) << size;
  }
}

// Watches that are set again are compared with what there was in their turn, not with what is behind them in the
// pipeline.
TEST_F(Frames, in_a_pipeline_see_what_is_before_them) {
  Asker asker(server_.port());
  const auto set = JuteWriter().i32(1).i32(101).i64(0).i32(0).i32(1).text("/a").i32(0);
  const auto create = JuteWriter().i32(2).i32(1).raw(create_payload("/a").bytes());
  asker.raw().send(RawClient::framed(set.bytes()) + RawClient::framed(create.bytes()));
  std::vector<std::int32_t> xids;
  for (int frame = 0; frame < 3; ++frame) {
    const RawClient::Received received = asker.raw().receive();
    xids.push_back(JuteReader(received.frame).i32());
  }
  EXPECT_EQ(xids, (std::vector<std::int32_t>{1, -1, 2})) << "the reply, the event, the reply";
}

}  // namespace
}  // namespace holdfast::testing
