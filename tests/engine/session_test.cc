// Sessions of the engine: how they are resumed, refused, kept alive, and how they end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "session_client.h"
#include "support/eventually.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing::asking {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// For what has to happen soon, on a starved machine.
constexpr milliseconds kSoon{20'000};
constexpr milliseconds kShort{400};
// Of many sessions, which cannot all be begun within less.
constexpr milliseconds kLate{2'000};

ZooKeeperOptions server_options() {
  return {.make = ServerMake::engine, .tick_time = milliseconds(100), .min_session_timeout = milliseconds(100)};
}

class EngineSession : public ::testing::Test {
 protected:
  SessionClient begin(milliseconds timeout = milliseconds(30'000)) { return {server_.port(), {.timeout = timeout}}; }
  SessionClient resume(const Who& who) { return {server_.port(), who}; }
  bool is_there(const std::string& path) { return observer_->call(exists(path)).ok(); }

  // As somebody who says nothing for that long, but would hear if the connection ended.
  static bool quiet(SessionClient& client, milliseconds pause) { return !client.receive(pause).closed(); }

  static bool is_refusal(const SessionClient& client) {
    const auto& greeting = client.greeting();
    return greeting && greeting->timeout == 0 && greeting->session == 0 && greeting->password == std::string(16, '\0');
  }

  ZooKeeperServer server_{server_options()};
  std::unique_ptr<SessionClient> observer_ = std::make_unique<SessionClient>(server_.port(), Who{.timeout = kSoon});
};

TEST_F(EngineSession, is_resumed_after_kill_nine_with_its_ephemerals_and_data) {
  auto client = begin();
  ASSERT_TRUE(client.call(create("/mine", "before", kEphemeral)).ok());
  ASSERT_TRUE(client.call(set_data("/mine", "after")).ok());
  const auto before = parse_data(client.call(get_data("/mine")).body);

  server_.restart();
  auto again = resume(client.who());

  ASSERT_TRUE(again.accepted());
  EXPECT_EQ(again.session(), client.session());
  EXPECT_EQ(again.greeting()->password, client.greeting()->password);
  EXPECT_EQ(again.greeting()->timeout, 30'000);
  const auto after = parse_data(again.call(get_data("/mine")).body);
  EXPECT_EQ(after.data, "after");
  EXPECT_EQ(after.owner, client.session());
  EXPECT_EQ(after.czxid, before.czxid);
  EXPECT_EQ(after.mzxid, before.mzxid);
  EXPECT_TRUE(again.call(close_session()).ok());
  auto other = begin();
  EXPECT_EQ(other.call(exists("/mine")).err, -101);
}

TEST_F(EngineSession, is_resumed_after_an_orderly_stop) {
  auto client = begin();
  ASSERT_TRUE(client.call(create("/mine", "", kEphemeral)).ok());
  server_.stop();
  server_.restart();
  auto again = resume(client.who());
  ASSERT_EQ(again.session(), client.session());
  EXPECT_TRUE(again.call(exists("/mine")).ok());
}

TEST_F(EngineSession, has_its_whole_timeout_after_a_restart) {
  auto client = begin(kShort);
  ASSERT_TRUE(client.call(create("/mine", "", kEphemeral)).ok());
  server_.kill();
  // Longer down than the session's timeout: nobody could speak for it.
  EXPECT_TRUE(client.ends_within(kSoon));
  const auto down = steady_clock::now();
  ASSERT_TRUE(eventually(kSoon, [&] { return steady_clock::now() - down > 2 * kShort; }));
  server_.restart();
  auto again = resume(client.who());
  EXPECT_EQ(again.session(), client.session());
  EXPECT_TRUE(again.call(exists("/mine")).ok());
}

TEST_F(EngineSession, that_has_expired_is_refused_with_zeros) {
  Who who;
  {
    auto client = begin(kShort);
    ASSERT_TRUE(client.call(create("/mine", "", kEphemeral)).ok());
    who = client.who();
  }
  ASSERT_TRUE(eventually(kSoon, [&] { return !is_there("/mine"); }));
  auto again = resume(who);
  EXPECT_TRUE(is_refusal(again));
  EXPECT_TRUE(again.ends_within(kSoon));
}

TEST_F(EngineSession, that_expired_stays_expired_after_a_restart) {
  auto client = begin(kShort);
  ASSERT_TRUE(client.call(create("/mine", "", kEphemeral)).ok());
  ASSERT_TRUE(client.ends_within(kSoon));
  server_.restart();
  auto again = resume(client.who());
  EXPECT_TRUE(is_refusal(again));
  auto other = begin();
  EXPECT_EQ(other.call(exists("/mine")).err, -101);
}

TEST_F(EngineSession, with_a_wrong_password_is_refused_and_its_owner_does_not_notice) {
  auto owner = begin();
  ASSERT_TRUE(owner.call(create("/mine", "", kEphemeral)).ok());
  auto who = owner.who();
  who.password[3] = static_cast<char>(who.password[3] ^ 1);
  auto thief = resume(who);
  EXPECT_TRUE(is_refusal(thief));
  EXPECT_TRUE(thief.ends_within(kSoon));
  EXPECT_TRUE(owner.call(exists("/mine")).ok());
  EXPECT_TRUE(quiet(owner, milliseconds(100)));
}

// Nor is its life made longer by somebody who only knows its number.
TEST_F(EngineSession, expires_although_somebody_tries_wrong_passwords) {
  auto owner = begin(kShort);
  ASSERT_TRUE(owner.call(create("/mine", "", kEphemeral)).ok());
  auto who = owner.who();
  who.password = "0123456789abcdef";
  const auto silent_since = steady_clock::now();
  ASSERT_TRUE(eventually(kSoon, [&] {
    resume(who);
    return !is_there("/mine");
  }));
  EXPECT_GE(steady_clock::now() - silent_since, kShort / 2);
}

TEST_F(EngineSession, lives_on_by_reads_alone) {
  auto client = begin(kShort);
  ASSERT_TRUE(client.call(create("/mine", "", kEphemeral)).ok());
  const auto begun = steady_clock::now();
  while (steady_clock::now() - begun < 4 * kShort) {
    ASSERT_TRUE(client.call(exists("/mine")).ok());
    ASSERT_TRUE(quiet(client, kShort / 8));
  }
  EXPECT_TRUE(is_there("/mine"));
}

TEST_F(EngineSession, lives_on_by_pings_alone) {
  auto client = begin(kShort);
  ASSERT_TRUE(client.call(create("/mine", "", kEphemeral)).ok());
  const auto begun = steady_clock::now();
  while (steady_clock::now() - begun < 4 * kShort) {
    ASSERT_TRUE(client.call(ping()).ok());
    ASSERT_TRUE(quiet(client, kShort / 8));
  }
  EXPECT_TRUE(is_there("/mine"));
}

TEST_F(EngineSession, that_falls_silent_ends_not_before_its_timeout_and_all_at_once) {
  constexpr int kNodes = 5;
  for (int i = 0; i < kNodes; ++i) ASSERT_TRUE(observer_->call(create(fmt::format("/d{}", i))).ok());
  ASSERT_TRUE(observer_->call(add_watch("/", kRecursive)).ok());
  auto client = begin(kShort);
  std::vector<Ask> nodes;
  for (int i = 0; i < kNodes; ++i) nodes.push_back(create(fmt::format("/d{}/mine", i), "", kEphemeral));
  const auto last_sent = steady_clock::now();  // or a little later: so it may seem to live longer, never shorter
  ASSERT_EQ(client.call_all(nodes).size(), nodes.size());

  std::vector<Notice> deleted;
  std::optional<steady_clock::time_point> first;
  while (deleted.size() < kNodes) {
    const auto notice = observer_->wait_for_notice(kSoon);
    ASSERT_TRUE(notice) << "only " << deleted.size() << " of the nodes went";
    if (notice->type != kNodeDeleted) continue;
    if (!first) first = steady_clock::now();
    deleted.push_back(*notice);
  }

  EXPECT_GE(*first - last_sent, kShort);
  fmt::print("a session of {} ms ended {} ms after its last word\n", kShort.count(),
             std::chrono::round<milliseconds>(*first - last_sent).count());
  for (int i = 0; i < kNodes; ++i) {
    EXPECT_EQ(std::count(deleted.begin(), deleted.end(), Notice{kNodeDeleted, fmt::format("/d{}/mine", i)}), 1);
  }
  std::set<std::int64_t> zxids;
  for (int i = 0; i < kNodes; ++i) {
    zxids.insert(parse_children2(observer_->call(get_children2(fmt::format("/d{}", i))).body).parent.pzxid);
  }
  EXPECT_EQ(zxids.size(), 1U) << "they went one by one";
  EXPECT_TRUE(observer_->take_notices().empty()) << "somebody was told twice";
  EXPECT_TRUE(client.ends_within(kSoon));
}

// The server was stopped, or its machine busy with something else. Its own absence is nobody's silence.
TEST_F(EngineSession, that_spoke_while_the_server_could_not_listen_is_heard_before_it_is_ended) {
  // More than can be read in one turn.
  constexpr int kSessions = 500;
  std::vector<std::unique_ptr<SessionClient>> clients;
  for (int i = 0; i < kSessions; ++i)
    clients.push_back(std::make_unique<SessionClient>(server_.port(), Who{.timeout = kLate}));
  for (auto& client : clients) ASSERT_TRUE(client->call(ping()).ok());
  server_.pause();
  const auto since = steady_clock::now();
  ASSERT_TRUE(eventually(kSoon, [&] { return steady_clock::now() - since > kLate / 3; }));
  for (auto& client : clients) client->send(ping());
  ASSERT_TRUE(eventually(kSoon, [&] { return steady_clock::now() - since > kLate + kLate / 2; }));
  server_.resume();
  int ended = 0;
  for (auto& client : clients) ended += client->receive().ok() ? 0 : 1;
  EXPECT_EQ(ended, 0);
}

// Its end names them all, in one record; a record that nobody can write would take the writes of others with it.
TEST_F(EngineSession, that_owns_very_long_names_ends_all_the_same) {
  auto client = begin(kShort);
  ASSERT_TRUE(client.call(create("/mine", "", kEphemeral)).ok());
  Answer last;
  for (int i = 0;
       i < 100 &&
       (last = client.call(create(fmt::format("/{}{}", i, std::string(1'000'000, 'n')), "", kEphemeral))).ok();
       ++i) {
  }
  EXPECT_EQ(last.err, -1) << "there is no limit";
  EXPECT_TRUE(eventually(kSoon, [&] {
    EXPECT_TRUE(observer_->call(set_data("/", "")).ok()) << "somebody else's write was refused";
    return !is_there("/mine");
  }));
  EXPECT_TRUE(client.ends_within(kSoon));
}

TEST_F(EngineSession, that_moves_closes_its_older_connection) {
  auto before = begin();
  ASSERT_TRUE(before.call(create("/mine", "", kEphemeral)).ok());
  auto after = resume(before.who());
  EXPECT_EQ(after.session(), before.session());
  EXPECT_TRUE(before.ends_within(kSoon));
  EXPECT_TRUE(after.call(exists("/mine")).ok());
}

TEST_F(EngineSession, that_has_moved_is_not_written_to_by_its_older_connection) {
  ASSERT_TRUE(observer_->call(create("/d")).ok());
  for (int attempt = 0; attempt < 10; ++attempt) {
    auto before = begin();
    for (int i = 0; i < 2'000; ++i) before.send(create(fmt::format("/d/{}-{}", attempt, i)));
    auto after = resume(before.who());
    ASSERT_TRUE(after.accepted());
    const auto at_first = parse_children2(after.call(get_children2("/d")).body).names.size();
    EXPECT_TRUE(before.ends_within(kSoon));
    EXPECT_EQ(parse_children2(after.call(get_children2("/d")).body).names.size(), at_first);
  }
}

// Both arrive while the server cannot look, so that it finds them side by side.
TEST_F(EngineSession, that_has_moved_is_not_closed_by_its_older_connection) {
  std::size_t moved = 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    auto before = begin();
    const auto who = before.who();
    RawClient after(server_.port());
    ASSERT_TRUE(observer_->call(ping()).ok());  // it has been let in
    server_.pause();
    Handshake hello;
    hello.session = who.session;
    hello.password = who.password;
    after.send_frame(hello.bytes());
    before.send(close_session());
    server_.resume();
    const auto received = after.receive();
    ASSERT_EQ(received.outcome, RawClient::Outcome::frame);
    if (parse_handshake_reply(received.frame).session == 0) continue;  // it was closed first
    ++moved;
    ASSERT_TRUE(before.ends_within(kSoon));
    after.send_request(1, static_cast<std::int32_t>(Op::exists), exists("/").payload);
    const auto answer = after.receive();
    ASSERT_EQ(answer.outcome, RawClient::Outcome::frame) << "its session was closed behind its back";
    JuteReader in(answer.frame);
    (void)in.i32();
    (void)in.i64();
    EXPECT_EQ(in.i32(), 0);
  }
  EXPECT_GT(moved, 0U) << "the handshake was never first: nothing was shown";
}

TEST_F(EngineSession, hears_the_answer_to_its_handshake_first_whatever_was_sent_with_it) {
  RawClient client(server_.port());
  const std::string create_it = JuteWriter().i32(1).i32(1).raw(create("/early").payload).bytes();
  const std::string ping_it = JuteWriter().i32(-2).i32(11).bytes();
  client.send(RawClient::framed(Handshake{}.bytes()) + RawClient::framed(ping_it) + RawClient::framed(create_it) +
              RawClient::framed(ping_it));
  EXPECT_NE(parse_handshake_reply(client.receive().frame).session, 0);
  std::vector<std::int32_t> xids;
  for (int i = 0; i < 3; ++i) {
    const auto received = client.receive();
    ASSERT_EQ(received.outcome, RawClient::Outcome::frame);
    xids.push_back(JuteReader(received.frame).i32());
  }
  EXPECT_EQ(xids, (std::vector<std::int32_t>{-2, 1, -2}));
}

}  // namespace
}  // namespace holdfast::testing::asking
