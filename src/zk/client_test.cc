#include "zk/client.h"

#include "support/zk_client_fixture.h"

namespace holdfast::zk {
namespace {

TEST_F(ZooKeeperClient, begins_a_session_and_takes_it_up_again_on_the_next_line) {
  const auto client = open();
  EXPECT_EQ(line().hello->session, 0);
  EXPECT_EQ(timeout_, 2500ms) << "half of the time for connecting";
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
  EXPECT_EQ(timeout_, 3s) << "a third of the session";
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
  EXPECT_EQ(timeout_, 1s);
}

TEST_F(ZooKeeperClient, does_not_hurry_a_server_however_short_the_session_is) {
  const auto client = open("a:1", {.session_timeout = 200ms, .connection_timeout = 100ms});
  EXPECT_EQ(timeout_, 500ms);
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
