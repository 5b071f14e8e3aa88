// What no proper client sends: whoever does gets the protocol's error or is closed, and nobody else notices.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "dice.h"
#include "session_client.h"
#include "support/eventually.h"
#include "support/zookeeper_server.h"
#include "witness.h"

namespace holdfast::testing::asking {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSoon{20'000};
constexpr std::size_t kMaxBuffer = 0xfffff;  // jute.maxbuffer
// A sanitizer takes its time, keeps much of what was given back, and books of all of it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kBurden = 10;
#else
constexpr std::size_t kBurden = 1;
#endif
// Two thirds of the shortest timeout that a server grants unless told otherwise: a client whose ping waits longer
// loses its session. Most of what the witness waits for is the machine, which other tests use as well.
constexpr std::chrono::microseconds kNoticeable = kBurden * std::chrono::microseconds(2'600'000);
// What a server may take beside what it has to keep, in KiB: buffers of the allocator, and of the largest requests.
constexpr std::size_t kSlack = kBurden * (96 << 10);

class BadInput : public ::testing::Test {
 protected:
  void TearDown() override {
    const auto testimony = witness_->stop();
    EXPECT_EQ(testimony.trouble, "");
    EXPECT_GT(testimony.rounds, 0U);
    EXPECT_LT(testimony.longest, kNoticeable);
    const auto memory = memory_of(server_.pid(), "VmHWM");
    EXPECT_LT(memory, memory_before_ + expected_memory_ + kSlack);
    fmt::print("witness: {} rounds, {} us, at most {} us; server: {} MiB, {} before\n", testimony.rounds,
               testimony.usual.count(), testimony.longest.count(), memory >> 10, memory_before_ >> 10);
  }

  // In KiB: what the test makes the server keep.
  void expect_memory(std::size_t size) { expected_memory_ = size; }
  bool lives_on(const SessionClient& client) { return SessionClient(server_.port(), client.who()).accepted(); }

  ZooKeeperServer server_{
      {.make = ServerMake::engine, .tick_time = milliseconds(2'000), .min_session_timeout = milliseconds(4'000)}};
  std::size_t memory_before_ = memory_of(server_.pid(), "VmHWM");
  std::size_t expected_memory_ = 0;
  std::unique_ptr<Witness> witness_ = std::make_unique<Witness>(server_.port());
};

TEST_F(BadInput, a_frame_that_is_too_long_closes_the_connection_and_not_the_session) {
  for (const std::uint32_t length : {0x100000U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
    SessionClient client(server_.port());
    ASSERT_TRUE(client.accepted());
    client.raw().send(JuteWriter().i32(static_cast<std::int32_t>(length)).i32(1).i32(3).bytes());
    EXPECT_TRUE(client.ends_within(kSoon)) << length;
    EXPECT_TRUE(lives_on(client));
  }
}

TEST_F(BadInput, a_megabyte_of_data_and_one_byte_closes_the_connection_as_in_zookeeper) {
  SessionClient client(server_.port());
  constexpr std::size_t kMegabyte = 1 << 20;
  client.send(create("/big", std::string(kMegabyte + 1, 'x')));
  EXPECT_TRUE(client.ends_within(kSoon));
  EXPECT_TRUE(lives_on(client));
  SessionClient other(server_.port());
  EXPECT_EQ(other.call(exists("/big")).err, -101);
  // The longest that fits: header, path, length and version around the data.
  ASSERT_TRUE(other.call(create("/big")).ok());
  const auto frame = 8 + set_data("/big", "").payload.size();
  EXPECT_TRUE(other.call(set_data("/big", std::string(kMaxBuffer - frame, 'x'))).ok());
  EXPECT_EQ(parse_data(other.call(get_data("/big")).body).data.size(), kMaxBuffer - frame);
}

TEST_F(BadInput, half_frames_and_slow_clients_hold_nobody_up) {
  constexpr std::size_t kClients = 300;
  constexpr int kBytes = 40;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) clients.push_back(std::make_unique<RawClient>(server_.port()));
  const std::string hello = RawClient::framed(Handshake{}.bytes());
  for (int at = 0; at < kBytes; ++at) {
    for (auto& client : clients) client->send(hello.substr(static_cast<std::size_t>(at), 1));
  }
  // Some go in the middle of it, the others finish and are served.
  for (std::size_t i = 0; i < kClients; ++i) {
    if (i % 2 == 0) clients[i].reset();
    if (clients[i]) clients[i]->send(hello.substr(kBytes));
  }
  for (auto& client : clients) {
    if (!client) continue;
    const auto received = client->receive();
    ASSERT_EQ(received.outcome, RawClient::Outcome::frame);
    EXPECT_NE(parse_handshake_reply(received.frame).session, 0);
  }
}

TEST_F(BadInput, an_unknown_operation_is_refused_and_the_connection_closed) {
  for (const std::int32_t op : {0, 10, 23, 99, 108, 1'000'000, -1, -2}) {
    SessionClient client(server_.port());
    client.raw().send_request(1, op, "whatever");
    const auto answer = client.receive();
    ASSERT_TRUE(answer.came()) << op;
    EXPECT_EQ(answer.err, -6) << op;
    EXPECT_TRUE(client.ends_within(kSoon)) << op;
    EXPECT_TRUE(lives_on(client)) << op;
  }
}

TEST_F(BadInput, a_path_with_nul_is_refused) {
  SessionClient client(server_.port());
  const std::string path("/a\0b", 4);
  EXPECT_EQ(client.call(create(path)).err, -8);
  EXPECT_EQ(client.call(exists(path)).err, -8);
  EXPECT_EQ(client.call(remove(path)).err, -8);
  EXPECT_EQ(client.call(set_data(path, "")).err, -8);
  EXPECT_EQ(client.call(get_data(path)).err, -101);
}

TEST_F(BadInput, who_never_reads_what_it_is_told_is_closed_before_it_fills_the_memory) {
  expect_memory(128 << 10);  // EngineLimits::unsent_bytes
  SessionClient client(server_.port());
  // Each path that is not there is told at once.
  constexpr std::size_t kPaths = 8;
  JuteWriter watches;
  watches.i64(0).i32(kPaths);
  for (std::size_t i = 0; i < kPaths; ++i) watches.text('/' + std::string(100'000, static_cast<char>('a' + i)));
  watches.i32(0).i32(0);
  // Three times what may wait for it.
  for (std::size_t sent = 0; sent < std::size_t{384} << 20; sent += watches.bytes().size()) {
    client.raw().send_request(-8, 101, watches.bytes());
  }
  EXPECT_TRUE(client.ends_within(kSoon));
}

TEST_F(BadInput, ten_thousand_requests_at_once_are_all_answered_in_order) {
  constexpr int kRequests = 10'000;
  SessionClient client(server_.port());
  std::string all;
  for (int i = 1; i <= kRequests; ++i) {
    const auto ask = i % 10 == 0 ? create("/at-once-", "", kSequential) : exists("/");
    all += RawClient::framed(JuteWriter().i32(i).i32(static_cast<std::int32_t>(ask.op)).raw(ask.payload).bytes());
  }
  client.raw().send(all);
  for (int i = 1; i <= kRequests; ++i) {
    const auto answer = client.receive();
    ASSERT_TRUE(answer.ok()) << i;
    ASSERT_EQ(answer.xid, i);
  }
}

TEST_F(BadInput, a_hundred_thousand_watches_at_once_are_kept_and_go_with_their_connection) {
  constexpr std::size_t kPaths = 100'000;
  expect_memory(64 << 10);
  const auto watch_count = [&] { return server_.watch_count(); };
  {
    SessionClient client(server_.port());
    JuteWriter watches;
    watches.i64(client.zxid()).i32(0).i32(kPaths);
    for (std::size_t i = 0; i < kPaths; ++i) watches.text(fmt::format("/{:05x}", i).substr(0, 6));
    watches.i32(0);
    ASSERT_LT(watches.bytes().size(), kMaxBuffer);
    client.raw().send_request(-8, 101, watches.bytes());
    EXPECT_TRUE(client.receive().ok());
    EXPECT_EQ(watch_count(), kPaths);
    EXPECT_TRUE(client.take_notices().empty());
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return watch_count() == 0; }));
}

TEST_F(BadInput, deep_paths_are_refused_beyond_the_limit_and_survive_a_restart_below_it) {
  SessionClient client(server_.port());
  std::string path;
  std::vector<Ask> chain;
  for (int depth = 1; depth <= 1'000; ++depth) chain.push_back(create(path += "/a"));
  for (const auto& answer : client.call_all(chain)) ASSERT_EQ(answer.err, 0);
  EXPECT_EQ(client.call(create(path + "/a")).err, -8);
  std::string endless;
  while (endless.size() < 900'000) endless += "/a";
  EXPECT_EQ(client.call(create(endless)).err, -101);
  EXPECT_EQ(client.call(exists(endless, true)).err, -101);
  EXPECT_EQ(client.call(add_watch(endless, kRecursive)).err, 0);
  EXPECT_EQ(client.call(create(std::string(900'000, '/'))).err, -101);
  EXPECT_EQ(client.call({Op::get_all_children_number, JuteWriter().text("/a").bytes()}).err, 0);
  const auto testimony = witness_->stop();
  EXPECT_EQ(testimony.trouble, "");
  server_.restart();
  witness_ = std::make_unique<Witness>(server_.port());
  SessionClient again(server_.port(), client.who());
  EXPECT_TRUE(again.call(exists(path)).ok());
}

TEST_F(BadInput, garbage_instead_of_a_handshake_hurts_nobody) {
  Dice dice(1);
  for (int i = 0; i < 500; ++i) {
    RawClient client(server_.port());
    std::string bytes;
    for (auto left = 1 + dice.roll(2'000); left > 0; --left) bytes += static_cast<char>(dice.roll(256));
    client.send(bytes);
  }
}

TEST_F(BadInput, garbage_in_frames_of_the_right_length_hurts_nobody) {
  Dice dice(2);
  std::size_t answered = 0;
  for (int i = 0; i < 300; ++i) {
    SessionClient client(server_.port());
    ASSERT_TRUE(client.accepted());
    for (int j = 0; j < 20; ++j) {
      // Mostly operations that there are, with small lengths, so that something behind the first field is reached.
      JuteWriter request;
      request.i32(j).i32(static_cast<std::int32_t>(dice.roll(110)));
      for (auto left = dice.roll(40); left > 0; --left) {
        dice.one_in(2) ? request.i32(static_cast<std::int32_t>(dice.roll(8)) - 1)
                       : request.raw(std::string(1, static_cast<char>(dice.roll(256))));
      }
      client.raw().send_frame(request.bytes());
    }
    while (client.receive(milliseconds(1)).came()) ++answered;
  }
  EXPECT_GT(answered, 100U);
}

}  // namespace
}  // namespace holdfast::testing::asking
