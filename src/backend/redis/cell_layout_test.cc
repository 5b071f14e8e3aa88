#include "backend/redis/cell_layout.h"

#include <gtest/gtest.h>

namespace holdfast::redis {
namespace {

resp::Value text(std::string words) { return {.type = resp::Value::Type::text, .text = std::move(words)}; }

Stored of(const std::string& type, const std::vector<std::string>& items, std::int64_t left = 900) {
  resp::Value busy{.type = resp::Value::Type::list};
  busy.items = {text("BUSY"), text(type), {.type = resp::Value::Type::integer, .integer = left}};
  for (const auto& each : items) busy.items.push_back(text(each));
  return stored_of(busy);
}

TEST(CellLayout, puts_the_name_where_the_pattern_says) {
  EXPECT_EQ(CellLayout{}.key_of("a/b"), "a/b");
  EXPECT_EQ(CellLayout{.key = "lock:%s"}.key_of("a"), "lock:a");
  EXPECT_EQ(CellLayout{.key = "{%s}:lock"}.key_of("%s"), "{%s}:lock") << "what stands in the name is not looked at";
  EXPECT_EQ(CellLayout{.key = "100%:%s"}.key_of("a"), "100%:a");
}

TEST(CellLayout, has_a_channel_for_redisson_only_in_the_slot_of_the_key) {
  EXPECT_EQ(CellLayout{}.channel_of("a"), "");
  const CellLayout redisson{.kind = CellKind::redisson};
  EXPECT_EQ(redisson.channel_of("a"), "redisson_lock__channel:{a}");
  EXPECT_EQ(redisson.channel_of("x{a}"), "redisson_lock__channel:x{a}");
}

TEST(CellLayout, knows_its_own_locks_and_those_of_other_libraries) {
  const auto ours = of("string", {"01234567-89ab-8def-8123-456789abcdef 10.0.0.7 host=web1"});
  EXPECT_EQ(ours.recipe, "Holdfast");
  EXPECT_EQ(ours.id, "01234567-89ab-8def-8123-456789abcdef");
  EXPECT_EQ(ours.card, "10.0.0.7 host=web1");
  EXPECT_EQ(ours.left, std::chrono::milliseconds(900));
  EXPECT_EQ(of("string", {"01234567-89ab-4def-8123-456789abcdef"}).recipe, "SET NX") << "a UUID of another kind";
  EXPECT_EQ(of("string", {"01234567-89ab-8def-8123-456789abcdef"}).recipe, "SET NX") << "without a card";
  EXPECT_EQ(of("string", {"3f2504e04f8911d39a0c0305e82c3301"}).recipe, "redis-py");
  EXPECT_EQ(of("string", {"3f2504e04f8941d39a0c0305e82c3301"}).recipe, "SET NX") << "32 random digits: redlock";
  EXPECT_EQ(of("string", {""}).recipe, "SET NX");

  const auto java = of("hash", {"8f1c3d5a-5a51-4a0c-9a5e-0d0c7e0e6a11:42", "2"});
  EXPECT_TRUE(java.is_lock);
  EXPECT_EQ(java.recipe, "Redisson");
  EXPECT_EQ(java.id, "8f1c3d5a-5a51-4a0c-9a5e-0d0c7e0e6a11:42");
  EXPECT_EQ(of("hash", {"mode", "read", "a:1", "1"}).recipe, "Redisson, read/write");
  EXPECT_EQ(of("zset", {"__write__", "token"}).id, "token");
  EXPECT_EQ(of("zset", {"token", "__write__"}).id, "token");
}

TEST(CellLayout, waits_for_locks_only) {
  for (const auto kind : {CellKind::text, CellKind::redisson}) {
    EXPECT_TRUE(can_wait_for(kind, of("hash", {"a:1", "1"})));
    EXPECT_EQ(can_wait_for(kind, of("string", {"token"})), kind == CellKind::text) << "Redisson cannot";
    EXPECT_EQ(can_wait_for(kind, of("zset", {"token"})), kind == CellKind::text);
    EXPECT_FALSE(can_wait_for(kind, of("hash", {"field", "value"})));
    EXPECT_FALSE(can_wait_for(kind, of("hash", {"a:1", "many"})));
    EXPECT_FALSE(can_wait_for(kind, of("hash", {}))) << "too large to be one";
    EXPECT_FALSE(can_wait_for(kind, of("list", {})));
  }
}

TEST(CellLayout, makes_nothing_of_an_answer_that_is_none) {
  EXPECT_FALSE(stored_of({}).is_lock);
  EXPECT_FALSE(stored_of({.type = resp::Value::Type::list, .items = {text("BUSY")}}).is_lock);
}

}  // namespace
}  // namespace holdfast::redis
