// Names that were chosen so that they fall into one place of a table, for every table that strangers fill.
//
// The names collide under the hash that the standard library has, whose seed is known: what an attacker can make at home. A table that
// used it would compare each with all before it.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/siphash.h"
#include "engine/children.h"
#include "engine/engine.h"
#include "support/engine/scene.h"

namespace holdfast::engine {
namespace {

using testing::create;
using testing::Scene;

// libstdc++'s hash takes eight bytes at a time: h = (h ^ f(word)) * m, with a bijective f. Two words after one another can be chosen
// so that h comes out the same; every such block doubles the number of names. Found by meeting in the middle is slow; but it is enough
// to know what f is, and to solve for the second word.
constexpr std::uint64_t kMultiplier = 0xc6a4a7935bd1e995U;

std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
  return x;
}
std::uint64_t mixed(std::uint64_t word) {
  word *= kMultiplier;
  word ^= word >> 47;
  return word * kMultiplier;
}
std::uint64_t unmixed(std::uint64_t value) {
  const auto back = inverse(kMultiplier);
  value *= back;
  value ^= value >> 47;
  return value * back;
}
// Of one word, from the state before it.
std::uint64_t after(std::uint64_t state, std::uint64_t word) { return (state ^ mixed(word)) * kMultiplier; }

void append(std::string& text, std::uint64_t word) {
  for (int i = 0; i < 8; ++i) text.push_back(static_cast<char>(word >> (8 * i)));
}

// All of one hash, of which no byte may be zero or a slash.
std::vector<std::string> colliding(std::size_t count) {
  constexpr std::uint64_t kSeed = 0xc70f6907U;
  const std::size_t length = 16;
  std::vector<std::string> names;
  const auto begin = kSeed ^ (length * kMultiplier);
  const std::uint64_t target = 0x0123456789abcdefU;
  const auto is_name = [](const std::string& text) {
    return text.find('\0') == std::string::npos && text.find('/') == std::string::npos;
  };
  for (std::uint64_t i = 0; names.size() < count; ++i) {
    std::string name;
    const std::uint64_t first = 0x6161616161616161U + i;
    append(name, first);
    // The second word brings every state to the same one.
    append(name, unmixed(after(begin, first) ^ target));
    if (is_name(name)) names.push_back(std::move(name));
  }
  return names;
}

constexpr std::size_t kNames = 2'000;

TEST(HostileNames, collide_under_the_hash_of_the_standard_library) {
  std::set<std::size_t> hashes;
  for (const auto& name : colliding(kNames)) hashes.insert(std::hash<std::string_view>{}(name));
  EXPECT_EQ(hashes.size(), 1U) << "the test below would show nothing";
}

TEST(HostileNames, do_not_collide_under_a_key_that_strangers_do_not_know) {
  std::set<std::uint32_t> hashes;
  for (const auto& name : colliding(kNames)) {
    hashes.insert(static_cast<std::uint32_t>(base::siphash({11, 12}, name)));
  }
  EXPECT_GE(hashes.size(), kNames - 1);
}

// Not a matter of time: another key, another order. A table that ignored the key would list all in the same one.
TEST(HostileNames, fall_into_other_places_of_every_table_under_another_key) {
  const auto paths_in_order = [](base::HashKey key) {
    WatchTable table(key);
    for (const auto& name : colliding(kNames)) table.add("/" + name, 1, WatchMode::one_shot);
    std::vector<std::string> order;
    table.for_each([&](const std::string& path, const WatchTable::Watchers&) { order.push_back(path); });
    return order;
  };
  EXPECT_NE(paths_in_order({1, 2}), paths_in_order({1, 3}));
  EXPECT_EQ(paths_in_order({1, 2}), paths_in_order({1, 2}));
}

TEST(HostileNames, are_names_like_others_for_nodes_and_watches) {
  Scene scene({}, {3, 4});
  const auto me = scene.client(1);
  for (std::size_t i = 0; i < kNames; ++i) {
    const auto path = "/w" + std::to_string(i);
    ASSERT_EQ(scene.code(me, create(path)), wire::Code::ok);
  }
  for (const auto& name : colliding(kNames))
    ASSERT_EQ(scene.code(me, wire::Exists{"/" + name, true}), wire::Code::no_node);
  EXPECT_EQ(scene.engine.data_watches().size(), kNames);
  EXPECT_EQ(scene.engine.tree().find("/")->child_count(), kNames + 1);
}

}  // namespace
}  // namespace holdfast::engine
