#include "cli/config/java_properties.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

// "key=value@line", one after the other
std::string parsed(std::string_view text) {
  const auto properties = parse_properties(text);
  if (!properties) return "line " + std::to_string(properties.error().line) + ": " + properties.error().what;
  std::string all;
  for (const auto& [key, value, line] : *properties) {
    all += (all.empty() ? "" : "|") + key + "=" + value + "@" + std::to_string(line);
  }
  return all;
}

// What java.util.Properties makes of the same text was looked up in its documentation.
TEST(JavaProperties, keys_end_at_an_equals_sign_a_colon_or_a_blank) {
  EXPECT_EQ(parsed("a=1\nb:2\nc 3\nd\t4\n"), "a=1@1|b=2@2|c=3@3|d=4@4");
  EXPECT_EQ(parsed("  a  =  1 \n"), "a=1 @1");
  EXPECT_EQ(parsed("a = = 1"), "a== 1@1");
  EXPECT_EQ(parsed("a b=c"), "a=b=c@1");
  EXPECT_EQ(parsed("key"), "key=@1");
  EXPECT_EQ(parsed("=value"), "=value@1");
}

TEST(JavaProperties, comments_begin_with_a_hash_or_an_exclamation_mark) {
  EXPECT_EQ(parsed("# a=1\n! b=2\n   # c=3\nd=4 # not a comment\n"), "d=4 # not a comment@4");
  EXPECT_EQ(parsed("# does not go on \\\na=1"), "a=1@2");
}

TEST(JavaProperties, a_backslash_at_the_end_goes_on_in_the_next_line) {
  EXPECT_EQ(parsed("a=1,\\\n   2,\\\n\t3\nb=4"), "a=1,2,3@1|b=4@4");
  EXPECT_EQ(parsed("a=1\\\n# not a comment"), "a=1# not a comment@1");
  EXPECT_EQ(parsed("a=1\\\\\nb=2"), "a=1\\@1|b=2@2");
  EXPECT_EQ(parsed("a=1\\"), "a=1@1");
  EXPECT_EQ(parsed("\\\n\\\n"), "");
}

TEST(JavaProperties, lines_end_in_any_of_three_ways) {
  EXPECT_EQ(parsed("a=1\r\nb=2\rc=3\n\n\nd=4"), "a=1@1|b=2@2|c=3@3|d=4@6");
}

TEST(JavaProperties, escapes_are_read_in_keys_and_values) {
  EXPECT_EQ(parsed("a\\ b\\=c=d\\te\\:"), "a b=c=d\te:@1");
  EXPECT_EQ(parsed("a=\\u00e9\\u20ac\\ud83d\\ude00"), "a=\u00e9\u20ac\U0001f600@1");
  EXPECT_EQ(parsed("a=C:\\\\zk"), "a=C:\\zk@1");
}

TEST(JavaProperties, a_malformed_unicode_escape_is_refused_with_its_line) {
  const std::string why = ": a \\u needs four hexadecimal digits of a character";
  for (const auto* text :
       {"a=\\u12", "a=\\u12g4", "a=\\u-123", "a=\\ud83d", "a=\\ud83d\\u0041", "a=\\ude00", "\\u1=b"}) {
    EXPECT_EQ(parsed("x=1\n" + std::string(text)), "line 2" + why) << text;
  }
}

TEST(JavaProperties, nothing_is_nothing) {
  EXPECT_EQ(parsed(""), "");
  EXPECT_EQ(parsed("\n \n\t\n"), "");
}

}  // namespace
}  // namespace holdfast::cli
