#include "support/zk_client_fixture.h"

namespace holdfast::zk {
namespace {

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

}  // namespace
}  // namespace holdfast::zk
