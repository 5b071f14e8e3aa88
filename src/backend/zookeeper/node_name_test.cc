// docs/semantics.md, "Names"; docs/adr/0018.
#include "backend/zookeeper/node_name.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "base/text.h"

namespace holdfast::zookeeper {
namespace {

constexpr auto kLock = "\xf0\x9f\x94\x92";           // U+1F512
constexpr auto kYoshinoya = "\xf0\xa0\xae\xb7野家";  // U+20BB7, as the sign says

// Whether ZooKeeper takes it as part of a path (PathUtils.validatePath).
bool is_allowed(std::string_view text) {
  while (!text.empty()) {
    const auto [code, length] = base::decode_utf8(text);
    if (length == 0 || base::is_control(code) || (code >= 0xd800 && code <= 0xf8ff) || code >= 0xfff0) return false;
    text.remove_prefix(length);
  }
  return true;
}

TEST(NodeName, is_the_name_itself_wherever_zookeeper_takes_that) {
  for (const std::string name :
       {"orders/123", "野家/é", "C:\\temp", "100%", "\\u{}", "\\u{41}", "\\u{5c}", "\\u{ffff}", "\\U{1f512}",
        "\\u{1F512}", "\\u{01f512}", "u{1f512}", "\\u1f512", "\\u{110000}", "\\"}) {
    EXPECT_EQ(node_of_name(name), name);
    EXPECT_EQ(name_of_node(name), name);
  }
}

TEST(NodeName, spells_what_is_beyond_the_basic_plane_so_that_it_can_be_read) {
  EXPECT_EQ(node_of_name(kLock), "\\u{1f512}");
  EXPECT_EQ(node_of_name(kYoshinoya), "\\u{20bb7}野家");
  EXPECT_EQ(node_of_name("a/\xf4\x8f\xbf\xbf/b"), "a/\\u{10ffff}/b");
  EXPECT_EQ(name_of_node("\\u{1f512}"), kLock);
  EXPECT_EQ(node_of_name("\\u{1f512}"), "\\u{5c}u{1f512}");
  EXPECT_EQ(name_of_node("\\u{5c}u{1f512}"), "\\u{1f512}");
  EXPECT_EQ(node_of_name("\\u{5c}u{1f512}"), "\\u{5c}u{5c}u{1f512}");
}

// No two names are one node, and no two nodes one name, whichever library made them: over all short texts of the pieces that matter.
TEST(NodeName, and_name_undo_each_other) {
  const std::vector<std::string> pieces{"\\", "u", "{", "}", "u{", "5c", "u{5c}", "1f512", "u{1f512}", "a", kLock};
  std::map<std::string, std::string> names;
  const auto try_out = [&](const std::string& text) {
    const auto node = node_of_name(text);
    ASSERT_TRUE(is_allowed(node)) << text;
    ASSERT_EQ(name_of_node(node), text);
    const auto [known, is_new] = names.emplace(node, text);
    ASSERT_TRUE(is_new || known->second == text) << text << " and " << known->second << " are " << node;
    // One that another client may have made.
    if (is_allowed(text)) {
      ASSERT_EQ(node_of_name(name_of_node(text)), text);
    }
  };
  std::vector<std::string> texts{""};
  for (int length = 0; length < 4; ++length) {
    std::vector<std::string> longer;
    for (const auto& text : texts) {
      for (const auto& piece : pieces) longer.push_back(text + piece);
    }
    for (const auto& text : longer) try_out(text);
    texts = std::move(longer);
  }
  std::minstd_rand random(42);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto left = random() % 12; left > 0; --left) text += pieces[random() % pieces.size()];
    try_out(text);
  }
}

}  // namespace
}  // namespace holdfast::zookeeper
