#include "redis/greeting.h"

#include <gtest/gtest.h>

#include "resp/reader.h"

namespace holdfast::redis {
namespace {

// As a server sends it: a map, with a number and a list among its texts.
std::optional<Greeting> of(std::string_view mode, std::string_view role, std::string_view server = "redis") {
  const auto text = [](std::string_view value) {
    return "$" + std::to_string(value.size()) + "\r\n" + std::string(value) + "\r\n";
  };
  resp::Reader reader;
  reader.feed("%7\r\n" + text("server") + text(server) + text("version") + text("7.0.15") + text("proto") + ":3\r\n" +
              text("id") + ":4\r\n" + text("mode") + text(mode) + text("role") + text(role) + text("modules") +
              "*0\r\n");
  const auto value = reader.next();
  EXPECT_TRUE(value);
  return value ? greeting_of(*value) : std::nullopt;
}

TEST(RedisGreeting, is_read) {
  const auto greeting = of("standalone", "master", "valkey");
  ASSERT_TRUE(greeting);
  EXPECT_EQ(greeting->server, "valkey");
  EXPECT_EQ(greeting->version, "7.0.15");
  EXPECT_EQ(greeting->mode, "standalone");
  EXPECT_EQ(greeting->role, "master");
  EXPECT_FALSE(refusal_of(*greeting));
}

TEST(RedisGreeting, of_another_kind_of_server_is_refused_with_what_to_do) {
  const auto says = [](std::string_view mode, std::string_view role, std::string_view what) {
    const auto refusal = refusal_of(*of(mode, role));
    ASSERT_TRUE(refusal) << mode << role;
    EXPECT_TRUE(refusal->final);
    EXPECT_NE(refusal->why.find(what), std::string::npos) << refusal->why;
  };
  says("sentinel", "", "it is a Sentinel; write redis+sentinel://");
  says("cluster", "master", "use a server of its own (cluster-enabled no)");
  says("standalone", "active-replica", "set active-replica no and multi-master no");
}

TEST(RedisGreeting, of_a_replica_is_not_final_because_it_may_become_the_master) {
  const auto refusal = refusal_of(*of("standalone", "replica"));
  ASSERT_TRUE(refusal);
  EXPECT_FALSE(refusal->final);
  EXPECT_NE(refusal->why.find("name its master, or use its Sentinels"), std::string::npos) << refusal->why;
}

TEST(RedisGreeting, is_not_anything_else) {
  for (const auto* bytes : {"+OK\r\n", "*1\r\n+a\r\n", "*2\r\n+a\r\n+b\r\n", "_\r\n", "%0\r\n"}) {
    resp::Reader reader;
    reader.feed(bytes);
    EXPECT_FALSE(greeting_of(*reader.next())) << bytes;
  }
}

}  // namespace
}  // namespace holdfast::redis
