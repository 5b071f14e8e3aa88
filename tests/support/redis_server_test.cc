#include "redis_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

namespace holdfast::testing {
namespace {

using Commands = std::vector<std::vector<std::string>>;

TEST(RedisServer, serves_and_ends) {
  RedisServer server;
  EXPECT_TRUE(server.serving());
  EXPECT_EQ(server.ask("SET a 1"), "+OK\r\n");
  EXPECT_EQ(server.ask("GET a"), "$1\r\n1\r\n");
  server.stop();
  EXPECT_FALSE(server.up());
  EXPECT_FALSE(server.serving());
  EXPECT_THROW(server.ask("GET a"), std::runtime_error);
}

TEST(RedisServer, keeps_its_port_and_nothing_else_over_a_kill_unless_told_to) {
  RedisServer server;
  const auto port = server.port();
  server.ask("SET a 1");
  server.kill();
  server.restart();
  EXPECT_EQ(server.port(), port);
  EXPECT_EQ(server.ask("GET a"), "$-1\r\n");
}

TEST(RedisServer, that_keeps_all_has_its_data_after_a_kill) {
  RedisServer server({.keeps = RedisKeeps::all});
  server.ask("SET a 1");
  server.kill();
  server.restart();
  EXPECT_EQ(server.ask("GET a"), "$1\r\n1\r\n");
}

TEST(RedisServer, tells_what_changed_in_order) {
  const RedisServer server({.keeps = RedisKeeps::all});
  server.ask("SET a 1");
  server.ask("GET a");
  server.ask("EVAL \"redis.call('SET', 'b', '2')\" 0");
  EXPECT_EQ(server.changes(), (Commands{{"SELECT", "0"}, {"SET", "a", "1"}, {"SET", "b", "2"}}));
}

TEST(RedisServer, has_a_wall_clock_that_can_be_set_and_a_process_that_does_not_notice_but_by_that) {
  const RedisServer server({.settable_clock = true});
  const auto seconds = [&] { return std::stol(texts_of(server.ask("TIME")).at(0)); };
  const auto before = seconds();
  server.ask("SET a 1 PX 60000");
  server.set_clock(std::chrono::hours(1));
  EXPECT_GE(seconds(), before + 3'600);
  EXPECT_EQ(server.ask("GET a"), "$-1\r\n") << "a time to live goes by that clock";
  server.set_clock(-std::chrono::hours(1));
  EXPECT_LT(seconds(), before);
}

TEST(RedisServer, says_nothing_while_paused) {
  RedisServer server;
  server.pause();
  EXPECT_FALSE(server.serving());
  server.resume();
  EXPECT_TRUE(server.serving());
}

TEST(RedisServer, shows_its_log_when_it_cannot_start) {
  try {
    const RedisServer server({.config_lines = {"no-such-setting 1"}});
    FAIL() << "it started";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no-such-setting"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace holdfast::testing
