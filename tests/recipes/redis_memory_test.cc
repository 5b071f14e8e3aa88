// What Redis remembers, and what it does not: the limits that docs/fencing.md names.
#include <stdexcept>

#include "recipe.h"
#include "redis_store.h"
#include "support/redis_server.h"

namespace holdfast::testing {
namespace {

TEST(RedisFence, forgets_the_token_with_the_process_unless_redis_keeps_its_data) {
  RedisServer server({.keeps = RedisKeeps::nothing});
  ASSERT_TRUE(RedisStore(server.port()).write(7, "seven"));
  server.kill();
  server.restart();
  EXPECT_TRUE(RedisStore(server.port()).write(6, "late")) << "nobody there remembers 7";
}

TEST(RedisFence, remembers_the_token_over_a_kill_if_every_write_is_synced) {
  RedisServer server({.keeps = RedisKeeps::all});
  ASSERT_TRUE(RedisStore(server.port()).write(7, "seven"));
  server.kill();
  server.restart();
  RedisStore store(server.port());
  EXPECT_FALSE(store.write(6, "late"));
  EXPECT_EQ(store.read(), (Content{7, "seven"}));
}

TEST(RedisFence, forgets_the_token_with_the_key) {
  const RedisServer server;
  RedisStore store(server.port());
  ASSERT_TRUE(store.write(7, "seven"));
  ASSERT_EQ(store.command({"DEL", RedisStore::kKey}), "1");
  EXPECT_TRUE(store.write(6, "late"));
}

TEST(RedisFence, has_to_be_loaded_again_after_a_restart) {
  RedisServer server({.keeps = RedisKeeps::all});
  const auto sha = RedisStore(server.port()).command({"SCRIPT", "LOAD", example("fencing/fence.lua")}).value();
  server.restart();
  // RedisStore loads it when it connects, so ask the server itself.
  EXPECT_EQ(server.ask("EVALSHA " + sha + " 1 document 00000000000000000001 text").substr(0, 9), "-NOSCRIPT");
}

TEST(RedisFence, takes_nothing_but_20_digits_for_a_token) {
  const RedisServer server;
  RedisStore store(server.port());
  ASSERT_TRUE(store.write(7, "seven"));
  for (const char* token : {"", "8", "0000000000000000008", "000000000000000000008", "0000000000000000000x",
                            "-0000000000000000008", "0x000000000000000008", "              000008"}) {
    EXPECT_THROW(store.write_raw(token, "wrong"), std::runtime_error) << '"' << token << '"';
    EXPECT_EQ(store.read(), (Content{7, "seven"})) << '"' << token << '"';
  }
}

TEST(RedisFence, writes_nothing_if_what_is_there_is_no_token) {
  const RedisServer server;
  RedisStore store(server.port());
  ASSERT_EQ(store.command({"HSET", RedisStore::kKey, "token", "seven", "data", "text"}), "2");
  EXPECT_THROW(static_cast<void>(store.write(8, "eight")), std::runtime_error);
  EXPECT_EQ(store.command({"HGET", RedisStore::kKey, "data"}), "text");
}

}  // namespace
}  // namespace holdfast::testing
