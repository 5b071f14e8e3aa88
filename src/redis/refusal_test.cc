#include "redis/refusal.h"

#include <gtest/gtest.h>

namespace holdfast::redis {
namespace {

Refusal of(std::string text, std::string_view command = "EVALSHA") {
  return refusal_of({.type = resp::Value::Type::error, .text = std::move(text)}, command);
}

TEST(RedisRefusal, is_final_when_only_people_can_help) {
  EXPECT_TRUE(of("NOAUTH Authentication required.").final);
  EXPECT_TRUE(of("WRONGPASS invalid username-password pair or user is disabled.", "HELLO").final);
  EXPECT_TRUE(of("NOPERM this user has no permissions to run the 'eval' command").final);
  EXPECT_TRUE(
      of("ERR The user executing the script can't run this command or subcommand script: f0, on @user_script:1.")
          .final);
  EXPECT_TRUE(of("DENIED Redis is running in protected mode because ...").final);
  EXPECT_TRUE(of("ERR unknown command `HELLO`, with args beginning with: `3`, ", "HELLO").final);
  EXPECT_TRUE(of("NOPROTO unsupported protocol version", "HELLO").final);
  EXPECT_TRUE(of("ERR DB index is out of range", "SELECT").final);
}

TEST(RedisRefusal, is_not_final_when_it_passes) {
  for (const auto* text :
       {"LOADING Redis is loading the dataset in memory", "BUSY Redis is busy running a script.",
        "READONLY You can't write against a read only replica.", "MASTERDOWN Link with MASTER is down",
        "OOM command not allowed when used memory > 'maxmemory'.", "NOREPLICAS Not enough good replicas",
        "MISCONF Redis is configured to save RDB snapshots", "ERR max number of clients reached"}) {
    EXPECT_FALSE(of(text).final) << text;
    EXPECT_EQ(of(text).why.find("ERR"), std::string::npos) << "in words, not in codes: " << of(text).why;
  }
}

// As Redis 6 spells what happens inside a script.
TEST(RedisRefusal, is_the_same_inside_the_error_of_a_script_of_redis_6) {
  const auto inside = [](const std::string& error) {
    return of(
        "ERR Error running script (call to f_1028a5dba704e1d8a01fd96efeba25bb78f62df2): @user_script:4: "
        "@user_script: 4: -" +
        error + " ");
  };
  for (const auto* text :
       {"OOM command not allowed when used memory > 'maxmemory'.", "NOREPLICAS Not enough good replicas to write.",
        "READONLY You can't write against a read only replica."}) {
    EXPECT_TRUE(of(text).passes) << text;
    EXPECT_TRUE(inside(text).passes) << text;
    EXPECT_EQ(inside(text).why, of(text).why);
    EXPECT_EQ(inside(text).is_not_the_master, of(text).is_not_the_master);
  }
  EXPECT_TRUE(inside("READONLY You can't write against a read only replica.").is_not_the_master);
  EXPECT_FALSE(inside("WRONGTYPE Operation against a key holding the wrong kind of value").passes);
}

TEST(RedisRefusal, has_the_words_of_the_server_if_it_knows_no_better_and_nothing_that_a_terminal_obeys) {
  EXPECT_EQ(of("ERR something\x1b[2J").why, "ERR something\\x1b[2J");
  EXPECT_EQ(of("").why, "it answers with an error that says nothing");
}

}  // namespace
}  // namespace holdfast::redis
