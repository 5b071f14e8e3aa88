#include "base/name_pattern.h"

#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  const auto parsed = NamePattern::parse(pattern);
  EXPECT_TRUE(parsed) << parsed.error();
  return parsed && parsed->matches(name);
}

TEST(NamePattern, without_wildcards_is_that_name_alone) {
  EXPECT_TRUE(matches("orders/1", "orders/1"));
  EXPECT_TRUE(matches("/orders/1", "orders/1"));
  EXPECT_FALSE(matches("orders/1", "orders/12"));
  EXPECT_FALSE(matches("orders/1", "orders"));
  EXPECT_FALSE(matches("orders/1", "orders/1/items"));
}

TEST(NamePattern, a_star_is_any_text_of_one_part) {
  EXPECT_TRUE(matches("orders/*", "orders/1"));
  EXPECT_FALSE(matches("orders/*", "orders"));
  EXPECT_FALSE(matches("orders/*", "orders/1/items"));
  EXPECT_TRUE(matches("*/lock", "billing/lock"));
  EXPECT_TRUE(matches("a*c*e", "ae") == false);
  EXPECT_TRUE(matches("a*c*e", "abcbcde"));
  EXPECT_TRUE(matches("a*c*e", "ace"));
  EXPECT_TRUE(matches("job-*", "job-"));
  EXPECT_FALSE(matches("*b", "bbbc"));
}

TEST(NamePattern, a_question_mark_is_one_character_however_many_bytes_it_has) {
  EXPECT_TRUE(matches("shard-?", "shard-7"));
  EXPECT_FALSE(matches("shard-?", "shard-12"));
  EXPECT_FALSE(matches("shard-?", "shard-"));
  EXPECT_TRUE(matches("?", "\xf0\x9f\x94\x92"));
  EXPECT_FALSE(matches("??", "\xf0\x9f\x94\x92"));
  EXPECT_TRUE(matches("*?x", "\xe9\x94\x81x"));
}

TEST(NamePattern, two_stars_are_any_number_of_parts) {
  for (const auto* name : {"orders", "orders/1", "orders/1/items"}) EXPECT_TRUE(matches("orders/**", name)) << name;
  EXPECT_FALSE(matches("orders/**", "orders2"));
  for (const auto* name : {"a", "a/b/c"}) EXPECT_TRUE(matches("**", name)) << name;
  EXPECT_TRUE(matches("**/write", "write"));
  EXPECT_TRUE(matches("**/write", "a/b/write"));
  EXPECT_FALSE(matches("**/write", "a/write/b"));
  EXPECT_TRUE(matches("a/**/b/**/c", "a/x/b/b/y/c"));
  EXPECT_FALSE(matches("a/**/b/**/c", "a/x/y/c"));
}

TEST(NamePattern, a_backslash_takes_a_wildcard_as_it_is) {
  EXPECT_TRUE(matches("what\\?", "what?"));
  EXPECT_FALSE(matches("what\\?", "what1"));
  EXPECT_TRUE(matches("\\*\\\\", "*\\"));
}

TEST(NamePattern, says_what_is_wrong_with_a_text_that_fits_no_name) {
  const auto wrong = [](std::string_view text) {
    const auto parsed = NamePattern::parse(text);
    return parsed ? std::string("is a pattern") : parsed.error();
  };
  constexpr auto kRight = "; a pattern is a name such as orders/123, orders/* or orders/**";
  EXPECT_EQ(wrong(""), std::string("\"\" is not a pattern of names: it is empty") + kRight);
  EXPECT_EQ(wrong("/"), std::string("\"/\" is not a pattern of names: it is empty") + kRight);
  EXPECT_EQ(wrong("a/"), std::string("\"a/\" is not a pattern of names: it ends with a slash") + kRight);
  EXPECT_EQ(wrong("a//b"), std::string("\"a//b\" is not a pattern of names: it has an empty part (//)") + kRight);
  EXPECT_EQ(wrong("../*"),
            std::string("\"../*\" is not a pattern of names: it has the part \"..\", which no name has") + kRight);
  EXPECT_EQ(wrong("a**"),
            std::string("\"a**\" is not a pattern of names: ** is a part of its own, between slashes") + kRight);
  EXPECT_EQ(
      wrong("a\\b"),
      std::string("\"a\\b\" is not a pattern of names: a backslash stands before *, ? or another backslash") + kRight);
  EXPECT_EQ(wrong("a\x01"), std::string("\"a\\x01\" is not a pattern of names: no name looks like that") + kRight);
  EXPECT_EQ(wrong(std::string(600, 'a')),
            "\"" + std::string(60, 'a') + "...\" is not a pattern of names: it has 600 bytes, at most 512 are allowed" +
                kRight);
}

TEST(NamePattern, is_more_specific_where_it_says_more_from_the_left) {
  const std::vector<std::string_view> rising{"**",        "**/x",        "*",        "*/x",          "o*/1",    "or*/1",
                                             "orders/**", "orders/**/x", "orders/*", "orders/job-*", "orders/1"};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t j = 0; j < rising.size(); ++j) {
      EXPECT_EQ(NamePattern::parse(rising[i])->compare(*NamePattern::parse(rising[j])), i <=> j)
          << rising[i] << " and " << rising[j];
    }
  }
  EXPECT_EQ(NamePattern::parse("a?")->compare(*NamePattern::parse("?a")), std::weak_ordering::equivalent);
  EXPECT_EQ(NamePattern::parse("orders")->compare(*NamePattern::parse("orders/**")), std::weak_ordering::greater);
}

}  // namespace
}  // namespace holdfast::base
