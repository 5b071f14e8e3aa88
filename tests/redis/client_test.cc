// The client of Redis' protocol against a real server.
#include "redis/client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "net/poll_reactor.h"
#include "support/free_port.h"
#include "support/redis_server.h"
#include "support/tcp_relay.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using resp::Value;
using testing::RedisOptions;
using testing::RedisServer;

constexpr auto kSoon = 20s;

// A client, and the one thread that it runs in.
class Guest {
 public:
  explicit Guest(Client::Options options)
      : client_(reactor_, std::move(options),
                {.connected = [this] { ++connected_; },
                 .disconnected = [this] { ++disconnected_; },
                 .refused = [this](const std::string& why) { refused_ = why; },
                 .told = [this](const std::string& channel,
                                std::string text) { told_.push_back(channel + ": " + std::move(text)); }}) {
    client_.open();
  }
  ~Guest() {
    if (const auto rest = client_.close({})) rest();
    reactor_.post([] {});
    reactor_.wait({}, Clock::now());
  }

  bool wait_until(const std::function<bool()>& condition) {
    const auto until = Clock::now() + kSoon;
    while (!condition() && Clock::now() < until) reactor_.wait({}, std::min(until, Clock::now() + 50ms));
    return condition();
  }
  bool connects() {
    return wait_until([&] { return client_.connected(); });
  }
  // Nothing: the connection was lost.
  std::optional<Value> ask(const resp::Command& command) {
    std::optional<std::optional<Value>> answer;
    client_.call(command, [&](auto value) { answer = std::move(value); });
    EXPECT_FALSE(answer) << "answered before the call had returned";
    EXPECT_TRUE(wait_until([&] { return answer.has_value(); }));
    return answer.value_or(std::nullopt);
  }
  std::optional<Value> run_script(std::size_t script, const resp::Command& words) {
    std::optional<std::optional<Value>> answer;
    client_.call_script(script, words, [&](auto value) { answer = std::move(value); });
    EXPECT_TRUE(wait_until([&] { return answer.has_value(); }));
    return answer.value_or(std::nullopt);
  }
  std::string refusal() {
    EXPECT_TRUE(wait_until([&] { return !refused_.empty(); })) << client_.trouble();
    return refused_;
  }
  std::string trouble() {
    EXPECT_TRUE(wait_until([&] { return !client_.trouble().empty(); }));
    return client_.trouble();
  }

  net::PollReactor reactor_;
  int connected_ = 0;
  int disconnected_ = 0;
  std::string refused_;
  std::vector<std::string> told_;
  Client client_;
};

Client::Options to(const std::string& servers) { return {.servers = net::parse_servers(servers).value()}; }
Client::Options to(const RedisServer& server) { return to(server.address()); }

TEST(RedisClient, logs_in_and_gets_answers_in_the_order_of_its_commands) {
  RedisServer server;
  auto options = to(server);
  options.database = 3;
  options.name = "holdfast-test";
  Guest guest(options);
  ASSERT_TRUE(guest.connects()) << guest.trouble();
  std::vector<std::string> answers;
  for (int i = 0; i < 100; ++i) {
    guest.client_.call({"ECHO", std::to_string(i)},
                       [&](auto value) { answers.push_back(value ? value->text : "lost"); });
  }
  ASSERT_TRUE(guest.wait_until([&] { return answers.size() == 100; }));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(answers[static_cast<std::size_t>(i)], std::to_string(i));
  EXPECT_EQ(guest.ask({"CLIENT", "GETNAME"})->text, "holdfast-test");
  EXPECT_TRUE(guest.ask({"SET", "k", "v"}));
  EXPECT_EQ(server.ask("EXISTS k"), ":0\r\n") << "it is not in database 0";
  EXPECT_EQ(guest.client_.trouble(), "");
}

TEST(RedisClient, hears_what_is_published_over_the_same_connection) {
  RedisServer server;
  Guest guest(to(server));
  ASSERT_TRUE(guest.connects());
  ASSERT_TRUE(guest.ask({"SUBSCRIBE", "news"}));
  EXPECT_EQ(guest.ask({"ECHO", "still"})->text, "still");
  server.ask("PUBLISH news one");
  EXPECT_TRUE(guest.wait_until([&] { return !guest.told_.empty(); }));
  EXPECT_EQ(guest.ask({"PUBLISH", "news", "two"})->integer, 1);
  EXPECT_TRUE(guest.wait_until([&] { return guest.told_.size() == 2; }));
  EXPECT_EQ(guest.told_, (std::vector<std::string>{"news: one", "news: two"}));
}

TEST(RedisClient, runs_scripts_and_loads_them_again_on_another_connection_when_they_are_gone) {
  RedisServer server;
  auto options = to(server);
  options.scripts = {"return ARGV[1] .. KEYS[1]", "return redis.error_reply('MINE no')"};
  Guest guest(options);
  ASSERT_TRUE(guest.connects());
  EXPECT_EQ(guest.run_script(0, {"1", "k", "a"})->text, "ak");
  EXPECT_EQ(guest.run_script(1, {"0"})->code(), "MINE");
  server.ask("SCRIPT FLUSH");
  EXPECT_FALSE(guest.run_script(0, {"1", "k", "a"})) << "it was not executed, but what came after it may have been";
  EXPECT_TRUE(guest.wait_until([&] { return guest.connected_ == 2 && guest.client_.connected(); }));
  EXPECT_EQ(guest.run_script(0, {"1", "k", "a"})->text, "ak");
}

TEST(RedisClient, answers_what_was_under_way_with_nothing_and_connects_again) {
  RedisServer server;
  Guest guest(to(server));
  ASSERT_TRUE(guest.connects());
  std::vector<bool> answered;
  guest.client_.call({"BLPOP", "none", "0"}, [&](auto value) { answered.push_back(value.has_value()); });
  guest.client_.call({"ECHO", "x"}, [&](auto value) { answered.push_back(value.has_value()); });
  guest.reactor_.wait({}, Clock::now() + 50ms);
  server.restart();
  EXPECT_TRUE(guest.wait_until([&] { return guest.connected_ == 2; })) << guest.trouble();
  EXPECT_EQ(answered, (std::vector{false, false}));
  EXPECT_EQ(guest.disconnected_, 1);
  EXPECT_EQ(guest.ask({"ECHO", "x"})->text, "x");
}

TEST(RedisClient, leaves_a_server_that_owes_an_answer_and_is_silent) {
  RedisServer server;
  auto options = to(server);
  options.silence = 200ms;
  Guest guest(options);
  ASSERT_TRUE(guest.connects());
  server.pause();
  EXPECT_FALSE(guest.ask({"ECHO", "x"}));
  server.resume();
  EXPECT_TRUE(guest.wait_until([&] { return guest.connected_ == 2; })) << guest.trouble();
}

TEST(RedisClient, takes_the_next_server_when_one_does_not_answer) {
  RedisServer server;
  Guest guest(to(fmt::format("127.0.0.1:{},{}", testing::free_port(), server.address())));
  EXPECT_TRUE(guest.connects()) << guest.trouble();
}

TEST(RedisClient, connects_over_a_unix_socket) {
  const testing::TempDir directory("redis-socket");
  const auto path = (directory / "socket").string();
  RedisServer server({.config_lines = {"unixsocket " + path}});
  Guest guest(to(path));
  ASSERT_TRUE(guest.connects()) << guest.trouble();
  EXPECT_EQ(guest.ask({"ECHO", "x"})->text, "x");
}

// ------------------------------------------------------------------------------------------------------------- what goes wrong

TEST(RedisClient, says_that_a_password_is_wanted_or_wrong) {
  RedisServer server;
  server.ask("CONFIG SET requirepass secret");
  EXPECT_EQ(Guest(to(server)).refusal(), "it wants a password; write it into the URL: redis://user:password@host");
  auto options = to(server);
  options.password = "guess";
  EXPECT_EQ(Guest(options).refusal(), "it has refused the user or the password");
  options.password = "secret";
  EXPECT_TRUE(Guest(options).connects());
}

TEST(RedisClient, says_that_a_right_is_missing) {
  RedisServer server;
  server.ask("ACL SETUSER bob on >secret +@all -script");
  auto options = to(server);
  options.user = "bob";
  options.password = "secret";
  options.scripts = {"return 1"};
  const auto why = Guest(options).refusal();
  EXPECT_NE(why.find("may not do what a lock needs"), std::string::npos) << why;
  EXPECT_NE(why.find("script"), std::string::npos) << why;
}

TEST(RedisClient, says_that_a_database_is_not_there) {
  RedisServer server;
  auto options = to(server);
  options.database = 99;
  const auto why = Guest(options).refusal();
  EXPECT_NE(why.find("it does not have that database"), std::string::npos) << why;
}

TEST(RedisClient, says_why_there_is_no_connection) {
  Guest nothing(to(fmt::format("127.0.0.1:{}", testing::free_port())));
  EXPECT_EQ(nothing.trouble(), "connection refused; is the server running?");

  RedisServer server;
  server.pause();
  auto options = to(server);
  options.connection_timeout = 100ms;
  EXPECT_EQ(Guest(options).trouble(), "it does not answer");
  server.resume();

  server.ask("CONFIG SET maxclients 1");
  Guest first(to(server));
  ASSERT_TRUE(first.connects());
  EXPECT_EQ(Guest(to(server)).trouble(), "it has as many clients as it takes (maxclients)");
}

}  // namespace
}  // namespace holdfast::redis
