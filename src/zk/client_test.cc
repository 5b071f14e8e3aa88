// A session over lines that the test holds in its hand: what is said on them, when, and what comes back.
#include "zk/client.h"

#include <gtest/gtest.h>

#include <optional>

#include "support/manual_executor.h"
#include "wire/jute.h"
#include "zk/fake_line.h"

namespace holdfast::zk {
namespace {

using namespace std::chrono_literals;
using wire::EventType;

class ZooKeeperClient : public ::testing::Test {
 protected:
  std::shared_ptr<Client> open(const std::string& hosts = "a:1",
                               Client::Options options = {.session_timeout = 9'000ms}) {
    auto client = std::make_shared<Client>(
        executor_,
        [this](const net::ServerAddress& server, Clock::duration patience, Line::Events events) {
          patience_ = patience;
          lines_.push_back(std::make_shared<FakeLine>(server.text(), std::move(events)));
          return lines_.back();
        },
        std::move(options),
        Client::Events{
            [this](Client::State state, auto, auto) { states_.push_back(state); },
            [this](Client::WatchId watch, EventType type, const std::string&) { fired_.emplace_back(watch, type); },
            [this] { ++no_service_; }});
    client->open(*net::parse_servers(hosts));
    return client;
  }
  FakeLine& line() { return *lines_.back(); }
  void lose() { line().events.lost("for the test"); }
  Client::Done keep() {
    return [this](Answer answer) { answers_.push_back(std::move(answer)); };
  }
  static std::string stat() {
    wire::Writer writer;
    encode(writer, wire::Stat{.czxid = 5});
    return writer.take();
  }
  static std::string text_and_stat(const std::string& text) {
    wire::Writer writer;
    writer.text(text);
    return writer.take() + stat();
  }

  testing::ManualExecutor executor_;
  std::vector<std::shared_ptr<FakeLine>> lines_;
  Clock::duration patience_{};
  std::vector<Client::State> states_;
  std::vector<std::pair<Client::WatchId, EventType>> fired_;
  std::vector<Answer> answers_;
  int no_service_ = 0;
};

TEST_F(ZooKeeperClient, begins_a_session_and_takes_it_up_again_on_the_next_line) {
  const auto client = open();
  EXPECT_EQ(line().hello->session, 0);
  EXPECT_EQ(patience_, 2500ms) << "half of the time for connecting";
  line().welcome();
  EXPECT_EQ(states_, std::vector{Client::State::connected});
  client->get("/x", keep());
  line().reply(line().said.back().xid, Code::ok, text_and_stat("data"), 42);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].text, "data");
  EXPECT_EQ(answers_[0].stat.czxid, 5);
  lose();
  EXPECT_EQ(states_.back(), Client::State::disconnected);
  executor_.run_for(1s);
  ASSERT_EQ(lines_.size(), 2u);
  EXPECT_EQ(line().hello->session, kSession);
  EXPECT_EQ(line().hello->last_zxid_seen, 42);
  EXPECT_EQ(patience_, 3s) << "a third of the session";
  line().welcome();
  EXPECT_EQ(states_.back(), Client::State::connected);
}

TEST_F(ZooKeeperClient, tells_when_every_server_is_known_to_be_of_another_kind) {
  const auto client = open("a:1,b:1");
  executor_.run_for(499ms);
  EXPECT_FALSE(line().tell_what_listens) << "asked too soon";
  executor_.run_for(1ms);
  ASSERT_TRUE(line().tell_what_listens);
  line().tell_what_listens({"a Redis listens there", true});
  EXPECT_EQ(no_service_, 0) << "nothing is known of the other";
  lose();
  executor_.run_for(600ms);
  ASSERT_EQ(lines_.size(), 2u);
  ASSERT_TRUE(line().tell_what_listens);
  line().tell_what_listens({"a web server listens there", true});
  EXPECT_EQ(no_service_, 1);
  EXPECT_TRUE(client->no_service());
  lose();
  EXPECT_EQ(no_service_, 2) << "for the next attempt to connect";
  executor_.run_for(1s);
  line().welcome();
  EXPECT_FALSE(client->no_service());
  EXPECT_EQ(states_, std::vector{Client::State::connected}) << "it goes on trying";
}

TEST_F(ZooKeeperClient, goes_on_while_a_server_may_be_a_zookeeper) {
  const auto client = open("a:1");
  executor_.run_for(500ms);
  line().tell_what_listens({"the server there does not serve at the moment"});
  lose();
  EXPECT_EQ(no_service_, 0);
}

TEST_F(ZooKeeperClient, logs_in_before_anything_else) {
  const auto client =
      open("a:1", {.session_timeout = 9'000ms, .auth = {{"digest", "ann:secret"}, {"digest", "bob:secret"}}});
  line().welcome();
  ASSERT_EQ(line().said.size(), 2u);
  EXPECT_NE(line().said[0].body.find("ann:secret"), std::string::npos);
  EXPECT_NE(line().said[1].body.find("bob:secret"), std::string::npos);
  line().reply(wire::kAuthXid, Code::ok);
  EXPECT_TRUE(states_.empty()) << "one login is not answered";
  line().reply(wire::kAuthXid, Code::ok);
  EXPECT_EQ(states_, std::vector{Client::State::connected});
}

// Answers every ping for as long.
void ping_for(testing::ManualExecutor& executor, FakeLine& line, Clock::duration time) {
  std::size_t answered = line.count(wire::Op::ping);
  for (Clock::duration passed{}; passed < time && !line.gone; passed += 100ms) {
    executor.run_for(100ms);
    for (; answered < line.count(wire::Op::ping) && !line.gone; ++answered) line.reply(wire::kPingXid, Code::ok);
  }
}

TEST_F(ZooKeeperClient, leaves_a_server_that_answers_pings_and_no_login) {
  const auto client = open("a:1", {.session_timeout = 9'000ms, .auth = {{"digest", "ann:secret"}}});
  line().welcome();
  line().reply(wire::kAuthXid, Code::ok);
  lose();
  executor_.run_for(1s);
  ASSERT_EQ(lines_.size(), 2u);
  const auto second = lines_.back();
  second->welcome();
  ping_for(executor_, *second, 5'900ms);
  EXPECT_FALSE(second->gone) << "as long as it may be silent";
  EXPECT_EQ(client->trouble(), "it has not answered the login yet");
  EXPECT_GT(second->count(wire::Op::ping), 0u);
  ping_for(executor_, *second, 200ms);
  EXPECT_TRUE(second->gone);
  executor_.run_for(1s);
  ASSERT_EQ(lines_.size(), 3u);
  line().welcome();
  line().reply(wire::kAuthXid, Code::ok);
  EXPECT_EQ(states_.back(), Client::State::connected);
}

TEST_F(ZooKeeperClient, tries_the_next_server_in_time_for_a_first_session_whose_login_is_not_answered) {
  const auto client = open("a:1,b:1", {.session_timeout = 30'000ms, .auth = {{"digest", "ann:secret"}}});
  const auto first = lines_.back();
  first->welcome(30s);
  ping_for(executor_, *first, 1'600ms);
  EXPECT_FALSE(first->gone);
  ping_for(executor_, *first, 200ms);
  EXPECT_TRUE(first->gone) << "a third of the five seconds for connecting";
  executor_.run_for(100ms);
  ASSERT_EQ(lines_.size(), 2u);
  EXPECT_NE(line().host, first->host);
  EXPECT_EQ(line().hello->session, kSession) << "the session is taken along";
  line().welcome(30s);
  line().reply(wire::kAuthXid, Code::ok);
  EXPECT_EQ(states_, std::vector{Client::State::connected});
}

TEST_F(ZooKeeperClient, does_not_leave_the_only_server_because_a_first_login_takes_time) {
  const auto client = open("a:1", {.session_timeout = 30'000ms, .auth = {{"digest", "ann:secret"}}});
  line().welcome(30s);
  ping_for(executor_, line(), 15s);
  EXPECT_EQ(lines_.size(), 1u);
  line().reply(wire::kAuthXid, Code::ok);
  EXPECT_EQ(states_, std::vector{Client::State::connected});
}

TEST_F(ZooKeeperClient, proves_an_identity_that_was_added_on_the_next_line_too) {
  const auto client = open();
  line().welcome();
  client->log_in({"digest", "ann:secret"}, keep());
  line().reply(wire::kAuthXid, Code::ok);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].code, Code::ok);
  lose();
  executor_.run_for(1s);
  line().welcome();
  ASSERT_EQ(line().said.size(), 1u);
  EXPECT_NE(line().said[0].body.find("ann:secret"), std::string::npos);
}

TEST_F(ZooKeeperClient, goes_on_without_an_identity_that_was_added_and_refused) {
  const auto client = open();
  line().welcome();
  client->log_in({"none", ""}, keep());
  client->exists("/", keep());
  line().reply(wire::kAuthXid, Code::auth_failed);
  ASSERT_EQ(answers_.size(), 2u);
  EXPECT_EQ(answers_[0].code, Code::auth_failed);
  EXPECT_EQ(answers_[1].code, Code::connection_loss);
  EXPECT_EQ(states_.back(), Client::State::disconnected);
  executor_.run_for(1s);
  line().welcome();
  EXPECT_EQ(line().hello->session, kSession);
  EXPECT_TRUE(line().said.empty());
  EXPECT_EQ(states_.back(), Client::State::connected);
}

TEST_F(ZooKeeperClient, whose_login_is_refused_says_so_and_leaves_it_at_that) {
  const auto client = open("a:1", {.session_timeout = 9'000ms, .auth = {{"digest", "ann:secret"}}});
  line().welcome();
  line().reply(wire::kAuthXid, Code::auth_failed);
  EXPECT_EQ(states_, std::vector{Client::State::refused});
  executor_.run_for(1min);
  EXPECT_EQ(lines_.size(), 1u);
}

TEST_F(ZooKeeperClient, that_should_have_logged_in_says_that_it_was_refused) {
  const auto client = open();
  line().welcome();
  client->exists("/", keep());
  line().reply(line().said.back().xid, Code::session_closed_require_auth);
  EXPECT_EQ(states_.back(), Client::State::refused);
}

TEST_F(ZooKeeperClient, says_once_that_its_session_is_over) {
  const auto client = open();
  line().welcome();
  lose();
  executor_.run_for(1s);
  line().welcome(0s, 0);
  EXPECT_EQ(states_.back(), Client::State::expired);
  EXPECT_TRUE(line().gone);
  executor_.run_for(1min);
  EXPECT_EQ(lines_.size(), 2u);
}

TEST_F(ZooKeeperClient, ends_requests_under_way_when_the_line_is_lost_and_those_without_one) {
  const auto client = open();
  line().welcome();
  client->exists("/a", keep());
  client->remove("/b", keep());
  EXPECT_TRUE(answers_.empty());
  lose();
  ASSERT_EQ(answers_.size(), 2u);
  EXPECT_EQ(answers_[0].code, Code::connection_loss);
  client->exists("/c", keep());
  EXPECT_EQ(answers_.size(), 2u) << "inside the call";
  executor_.run_for(0s);
  ASSERT_EQ(answers_.size(), 3u);
  EXPECT_EQ(answers_[2].code, Code::connection_loss);
}

TEST_F(ZooKeeperClient, says_something_in_every_third_of_the_timeout_and_no_more) {
  const auto client = open();
  line().welcome(9s);
  for (int i = 0; i < 10; ++i) {
    executor_.run_for(3s);
    line().reply(wire::kPingXid, Code::ok);
  }
  EXPECT_EQ(line().count(wire::Op::ping), 10u);
  client->exists("/", keep());
  line().reply(line().said.back().xid, Code::ok, stat());
  executor_.run_for(2900ms);
  EXPECT_EQ(line().count(wire::Op::ping), 10u) << "a request is as good";
}

TEST_F(ZooKeeperClient, says_something_every_ten_seconds_however_long_the_session_is) {
  const auto client = open("a:1", {.session_timeout = 3'600'000ms});
  line().welcome(1h);
  executor_.run_for(9900ms);
  EXPECT_EQ(line().count(wire::Op::ping), 0u);
  executor_.run_for(200ms);
  EXPECT_EQ(line().count(wire::Op::ping), 1u);
  executor_.run_for(10s);
  EXPECT_EQ(states_.back(), Client::State::disconnected) << "twenty seconds of silence";
}

TEST_F(ZooKeeperClient, leaves_a_server_that_was_silent_for_two_thirds_of_the_timeout) {
  const auto client = open("a:1,b:1");
  line().welcome(9s);
  executor_.run_for(5900ms);
  EXPECT_EQ(states_.back(), Client::State::connected);
  executor_.run_for(200ms);
  EXPECT_EQ(states_.back(), Client::State::disconnected);
  EXPECT_TRUE(lines_[0]->gone);
  ASSERT_EQ(lines_.size(), 2u);
  EXPECT_NE(lines_[1]->host, lines_[0]->host);
}

TEST_F(ZooKeeperClient, hears_what_came_while_it_slept_before_it_speaks_of_silence) {
  const auto client = open();
  line().welcome(9s);
  line().on_attend = [&] { line().reply(wire::kPingXid, Code::ok); };
  executor_.sleep_for(8s);
  executor_.run_for(1s);
  EXPECT_EQ(states_.back(), Client::State::connected);
  EXPECT_EQ(lines_.size(), 1u);
}

// As one whose machine is busy.
TEST_F(ZooKeeperClient, that_spoke_late_itself_does_not_take_that_for_the_servers_silence) {
  const auto client = open();
  line().welcome(9s);
  executor_.sleep_for(5900ms);
  executor_.run_for(0s);
  EXPECT_EQ(line().count(wire::Op::ping), 1u);
  executor_.run_for(2900ms);
  EXPECT_EQ(states_.back(), Client::State::connected) << "the server had no third of the timeout to answer";
  line().reply(wire::kPingXid, Code::ok);
  executor_.sleep_for(8s);
  executor_.run_for(2900ms);
  EXPECT_EQ(states_.back(), Client::State::connected);
  executor_.run_for(200ms);
  EXPECT_EQ(states_.back(), Client::State::disconnected) << "it was asked, and is silent";
}

TEST_F(ZooKeeperClient, tries_all_servers_at_once_and_then_more_and_more_slowly) {
  const auto client = open("a:1,b:1,c:1");
  std::vector<Clock::duration> pauses;
  auto before = executor_.now();
  for (int i = 0; i < 24; ++i) {
    const auto lines = lines_.size();
    lose();
    while (lines_.size() == lines) ASSERT_TRUE(executor_.step());
    pauses.push_back(executor_.now() - before);
    before = executor_.now();
  }
  for (std::size_t i = 0; i < pauses.size(); ++i) {
    if (i % 3 != 2) {
      EXPECT_EQ(pauses[i], 0s) << i;
    } else {
      EXPECT_GE(pauses[i], 50ms) << i;
      EXPECT_LE(pauses[i], 1s) << i;
    }
  }
  EXPECT_GE(pauses.back(), 500ms);
  std::set<std::string> tried;
  for (std::size_t i = 0; i < 3; ++i) tried.insert(lines_[i]->host);
  EXPECT_EQ(tried.size(), 3u);
}

// One that welcomes and hangs up is not asked a thousand times a second.
TEST_F(ZooKeeperClient, has_time_to_try_all_servers_before_the_client_gives_up) {
  const auto client = open("a:1,b:1,c:1", {.session_timeout = 60'000ms, .connection_timeout = 4s});
  EXPECT_EQ(patience_, 1s);
}

TEST_F(ZooKeeperClient, does_not_hurry_a_server_however_short_the_session_is) {
  const auto client = open("a:1", {.session_timeout = 200ms, .connection_timeout = 100ms});
  EXPECT_EQ(patience_, 500ms);
}

TEST_F(ZooKeeperClient, pauses_although_it_was_welcomed_if_that_came_to_nothing) {
  const auto client = open();
  const auto begin = executor_.now();
  for (int i = 0; i < 20; ++i) {
    line().welcome();
    const auto lines = lines_.size();
    lose();
    while (lines_.size() == lines) ASSERT_TRUE(executor_.step());
  }
  EXPECT_GE(executor_.now() - begin, 5s);
}

TEST_F(ZooKeeperClient, dials_at_once_after_a_line_that_was_good) {
  const auto client = open();
  line().welcome();
  executor_.run_for(2s);
  const auto lost = executor_.now();
  lose();
  while (lines_.size() == 1) ASSERT_TRUE(executor_.step());
  EXPECT_EQ(executor_.now(), lost);
}

TEST_F(ZooKeeperClient, goes_to_the_servers_it_was_told_of_meanwhile) {
  const auto client = open("a:1");
  lose();
  client->set_servers({{"b", "1"}});
  while (lines_.size() == 1) ASSERT_TRUE(executor_.step());
  EXPECT_EQ(line().host, "b:1");
}

TEST_F(ZooKeeperClient, fires_each_watch_once_and_sets_the_others_again) {
  const auto client = open();
  line().welcome();
  client->get("/a", keep(), 1);
  line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  client->get("/b", keep(), 2);
  line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  client->get("/gone", keep(), 3);
  line().reply(line().said.back().xid, Code::no_node);
  line().tell(EventType::node_deleted, "/a");
  line().tell(EventType::node_deleted, "/a");
  EXPECT_EQ(fired_, (std::vector<std::pair<Client::WatchId, EventType>>{{1, EventType::node_deleted}}));
  lose();
  executor_.run_for(1s);
  line().welcome();
  ASSERT_EQ(line().said.size(), 1u);
  EXPECT_EQ(line().said[0].op, wire::Op::set_watches);
  wire::Reader body(line().said[0].body);
  EXPECT_EQ(body.i64(), 7);
  EXPECT_EQ(body.texts(), std::vector<std::string>{"/b"});
  EXPECT_EQ(body.texts(), std::vector<std::string>{});
  EXPECT_EQ(body.texts(), std::vector<std::string>{});
}

// One number for all of them: an event is told once.
TEST_F(ZooKeeperClient, keeps_watches_that_stay_and_sets_every_kind_again) {
  const auto client = open();
  line().welcome();
  client->exists("/absent", keep(), 1);
  line().reply(line().said.back().xid, Code::no_node);
  client->exists("/there", keep(), 1);
  line().reply(line().said.back().xid, Code::ok, stat());
  client->add_watch("/node", wire::AddWatchMode::persistent, 1, keep());
  line().reply(line().said.back().xid, Code::ok);
  client->add_watch("/tree", wire::AddWatchMode::persistent_recursive, 1, keep());
  line().reply(line().said.back().xid, Code::ok);
  client->get("/tree/a", keep(), 1);
  line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  line().tell(EventType::node_deleted, "/tree/a");
  line().tell(EventType::node_created, "/tree/b/c");
  line().tell(EventType::node_created, "/treetop");
  line().tell(EventType::node_children_changed, "/node");
  line().tell(EventType::node_data_changed, "/node");
  EXPECT_EQ(fired_, (std::vector<std::pair<Client::WatchId, EventType>>{{1, EventType::node_deleted},
                                                                        {1, EventType::node_created},
                                                                        {1, EventType::node_children_changed},
                                                                        {1, EventType::node_data_changed}}));
  lose();
  executor_.run_for(1s);
  line().welcome();
  ASSERT_EQ(line().said.size(), 1u);
  EXPECT_EQ(line().said[0].op, wire::Op::set_watches2);
  wire::Reader body(line().said[0].body);
  (void)body.i64();
  EXPECT_EQ(body.texts(), std::vector<std::string>{"/there"});
  EXPECT_EQ(body.texts(), std::vector<std::string>{"/absent"});
  EXPECT_EQ(body.texts(), std::vector<std::string>{});
  EXPECT_EQ(body.texts(), std::vector<std::string>{"/node"});
  EXPECT_EQ(body.texts(), std::vector<std::string>{"/tree"});
}

TEST_F(ZooKeeperClient, does_not_set_again_what_was_removed) {
  const auto client = open();
  line().welcome();
  client->get("/a", keep(), 1);
  line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  client->add_watch("/a", wire::AddWatchMode::persistent, 1, keep());
  line().reply(line().said.back().xid, Code::ok);
  client->remove_watches("/a", wire::WatchKind::data, keep());
  line().reply(line().said.back().xid, Code::ok);
  const auto again = [&] {
    lose();
    executor_.run_for(1s);
    line().welcome();
    return line().said.size();
  };
  ASSERT_EQ(again(), 1u);
  wire::Reader body(line().said[0].body);
  (void)body.i64();
  EXPECT_EQ(body.texts(), std::vector<std::string>{});
  client->remove_watches("/a", wire::WatchKind::any, keep());
  line().reply(line().said.back().xid, Code::ok);
  EXPECT_EQ(again(), 0u);
}

TEST_F(ZooKeeperClient, sets_many_watches_again_in_frames_that_servers_take) {
  const auto client = open();
  line().welcome();
  const std::string long_name(1'000, 'x');
  for (Client::WatchId i = 1; i <= 2'000; ++i) {
    client->get("/" + std::to_string(i) + long_name, keep(), i);
    line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  }
  lose();
  executor_.run_for(1s);
  line().welcome();
  std::size_t paths = 0;
  for (const auto& each : line().said) {
    ASSERT_EQ(each.op, wire::Op::set_watches);
    EXPECT_LT(each.body.size(), 200u * 1024);
    wire::Reader body(each.body);
    (void)body.i64();
    paths += body.texts().size();
  }
  EXPECT_EQ(paths, 2'000u);
  EXPECT_GT(line().said.size(), 10u);
}

// What one frame of watches was told up to here, the next one may not have been.
TEST_F(ZooKeeperClient, remembers_what_it_has_seen_only_once_all_watches_are_set_again) {
  const auto client = open();
  line().welcome();
  for (Client::WatchId i = 1; i <= 300; ++i) {
    client->get("/" + std::to_string(i) + std::string(1'000, 'x'), keep(), i);
    line().reply(line().said.back().xid, Code::ok, text_and_stat(""), 7);
  }
  const auto again = [&] {
    lose();
    executor_.run_for(1s);
    line().welcome();
    return wire::Reader(line().said.back().body).i64();
  };
  EXPECT_EQ(again(), 7);
  ASSERT_EQ(line().count(wire::Op::set_watches), 3u);
  line().reply(wire::kSetWatchesXid, Code::ok, {}, 100);
  line().reply(wire::kPingXid, Code::ok, {}, 100);
  line().reply(wire::kSetWatchesXid, Code::ok, {}, 100);
  EXPECT_EQ(again(), 7);
  for (int i = 0; i < 3; ++i) line().reply(wire::kSetWatchesXid, Code::ok, {}, 100);
  EXPECT_EQ(again(), 100);
}

TEST_F(ZooKeeperClient, whose_watches_are_refused_fires_them_so_that_somebody_looks) {
  const auto client = open();
  line().welcome();
  client->get("/a", keep(), 1);
  line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  client->get_children("/b", keep(), 2);
  wire::Writer none;
  none.texts({});
  line().reply(line().said.back().xid, Code::ok, none.bytes());
  lose();
  executor_.run_for(1s);
  line().welcome();
  line().reply(wire::kSetWatchesXid, Code::throttled);
  EXPECT_EQ(fired_, (std::vector<std::pair<Client::WatchId, EventType>>{{1, EventType::node_data_changed},
                                                                        {2, EventType::node_children_changed}}));
}

TEST_F(ZooKeeperClient, leaves_a_server_that_speaks_nonsense) {
  const auto client = open();
  line().events.received("x");
  EXPECT_TRUE(lines_[0]->gone);
  executor_.run_for(1s);
  line().welcome();
  client->get("/a", keep());
  line().reply(line().said.back().xid, Code::ok, "short");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].code, Code::connection_loss);
  EXPECT_EQ(states_.back(), Client::State::disconnected);
  executor_.run_for(1s);
  line().welcome();
  line().events.received("xx");
  EXPECT_EQ(states_.back(), Client::State::disconnected);
  executor_.run_for(1s);
  line().welcome();
  client->exists("/", keep());
  line().reply(line().said.back().xid + 1, Code::ok, stat());
  EXPECT_EQ(answers_.back().code, Code::connection_loss);
  EXPECT_EQ(states_.back(), Client::State::disconnected);
}

TEST_F(ZooKeeperClient, leaves_a_server_that_answers_a_login_which_was_not_made) {
  const auto client = open();
  line().welcome();
  for (const auto code : {Code::ok, Code::auth_failed}) {
    ASSERT_EQ(states_.back(), Client::State::connected);
    line().reply(wire::kAuthXid, code);
    EXPECT_EQ(states_.back(), Client::State::disconnected) << "neither believed nor final";
    executor_.run_for(10s);
    line().welcome();
  }
}

TEST_F(ZooKeeperClient, names_the_server_of_its_line_although_it_was_told_of_others) {
  const auto client = open("a:1");
  client->set_servers({{"b", "1"}, {"c", "1"}});
  EXPECT_EQ(client->server().text(), "a:1");
  lose();
  EXPECT_EQ(client->lost_server().text(), "a:1");
}

TEST_F(ZooKeeperClient, that_is_abandoned_tells_nothing_more_and_says_goodbye) {
  const auto client = open();
  line().welcome();
  client->get("/a", keep(), 1);
  line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  client->exists("/b", keep());
  client->abandon(Code::closing);
  ASSERT_EQ(answers_.size(), 2u);
  EXPECT_EQ(answers_[1].code, Code::closing);
  EXPECT_TRUE(line().gone);
  const auto told = states_.size();
  line().tell(EventType::node_deleted, "/a");
  lose();
  executor_.run_for(1min);
  EXPECT_EQ(states_.size(), told);
  EXPECT_TRUE(fired_.empty());
  EXPECT_EQ(lines_.size(), 1u);
  client->close();
  wire::Reader last(line().last_words);
  (void)last.i32();
  EXPECT_EQ(static_cast<wire::Op>(last.i32()), wire::Op::close_session);
}

TEST_F(ZooKeeperClient, may_be_destroyed_by_whoever_it_tells) {
  auto client = open();
  line().welcome();
  client->exists("/", [&](Answer) { client.reset(); });
  const auto last = lines_.back();
  last->reply(last->said.back().xid, Code::ok, stat());
  EXPECT_EQ(client, nullptr);
  executor_.run_for(1min);
  EXPECT_EQ(lines_.size(), 1u);
}

}  // namespace
}  // namespace holdfast::zk
