#include "engine/children.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "engine/node.h"

namespace holdfast::engine {
namespace {

constexpr base::HashKey kKey{1, 2};

std::unique_ptr<Node> node_called(const std::string& name) {
  auto node = std::make_unique<Node>();
  node->name = name;
  return node;
}

TEST(Children, are_found_by_name_and_counted_with_the_bytes_of_their_names) {
  Children children(kKey);
  EXPECT_EQ(children.find("a"), nullptr);
  children.make_room();
  children.insert(node_called("a"));
  children.make_room();
  children.insert(node_called("bcd"));
  EXPECT_EQ(children.find("bcd")->name, "bcd");
  EXPECT_EQ(children.find("b"), nullptr);
  EXPECT_EQ(children.name_bytes(), 4U);
  EXPECT_EQ(children.extract("a")->name, "a");
  EXPECT_EQ(children.find("a"), nullptr);
  EXPECT_EQ(children.size(), 1U);
  EXPECT_EQ(children.name_bytes(), 3U);
}

// Beside a map that cannot be wrong, through growing and shrinking several times.
TEST(Children, are_what_was_inserted_and_not_extracted) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const base::HashKey key{random(), random()};
  Children children(key);
  std::map<std::string, const Node*> expected;
  std::size_t bytes = 0;
  for (const std::size_t target : {5U, 40U, 3'000U, 10U, 500U, 0U, 100U}) {
    while (expected.size() != target) {
      const auto name = std::to_string(random() % 5'000);
      const bool grows = expected.size() < target;
      if (const auto known = expected.find(name); known != expected.end()) {
        ASSERT_EQ(children.find(name), known->second);
        if (grows && random() % 4 != 0) continue;
        ASSERT_EQ(children.extract(name).get(), known->second);
        children.tidy();
        bytes -= name.size();
        expected.erase(known);
      } else {
        ASSERT_EQ(children.find(name), nullptr);
        if (!grows) continue;
        auto node = node_called(name);
        expected[name] = node.get();
        bytes += name.size();
        children.make_room();
        children.insert(std::move(node));
      }
    }
    ASSERT_EQ(children.size(), expected.size());
    ASSERT_EQ(children.name_bytes(), bytes);
    std::set<std::string> listed;
    for (const auto& child : children) listed.insert(child->name);
    ASSERT_EQ(listed.size(), expected.size());
    for (const auto& [name, node] : expected) ASSERT_EQ(children.find(name), node) << name;
  }
}

}  // namespace
}  // namespace holdfast::engine
