#include "cli/shell/words.h"

#include <gtest/gtest.h>

namespace holdfast::cli::shell {
namespace {

using Words = std::vector<std::string>;

TEST(ShellWords, are_separated_by_blanks) {
  EXPECT_EQ(split_words(" create  /a\tdata "), (Words{"create", "/a", "data"}));
  EXPECT_EQ(split_words("  "), Words{});
}

TEST(ShellWords, keep_blanks_in_quotes) {
  EXPECT_EQ(split_words(R"(set /a 'two "words"')"), (Words{"set", "/a", R"(two "words")"}));
  EXPECT_EQ(split_words(R"(set /a "say \"hi\" \\ \n")"), (Words{"set", "/a", R"(say "hi" \ \n)"}));
  EXPECT_EQ(split_words(R"(set /a\ b '' x"y"z)"), (Words{"set", "/a b", "", "xyz"}));
}

TEST(ShellWords, refuse_a_quote_that_is_not_closed) {
  const auto words = split_words("set /a 'x");
  ASSERT_FALSE(words);
  EXPECT_NE(words.error().find("put a '"), std::string::npos) << words.error();
}

TEST(ShellWords, of_an_unfinished_line_end_at_the_cursor) {
  const auto bare = read_unfinished("get /a\\ b");
  EXPECT_EQ(bare.before, Words{"get"});
  EXPECT_EQ(bare.word, "/a b");
  EXPECT_EQ(bare.quote, '\0');
  const auto quoted = read_unfinished("get -s '/a b");
  EXPECT_EQ(quoted.before, (Words{"get", "-s"}));
  EXPECT_EQ(quoted.word, "/a b");
  EXPECT_EQ(quoted.quote, '\'');
  EXPECT_EQ(read_unfinished("get ").word, "");
}

TEST(ShellWords, can_be_typed_so_that_they_are_read_again) {
  for (const std::string text : {"plain", "two words", "it's", "a \"quote\"", "back\\slash"}) {
    EXPECT_EQ(split_words(as_typed(text, '\0')), Words{text});
    EXPECT_EQ(split_words('"' + as_typed(text, '"') + '"'), Words{text});
    EXPECT_EQ(split_words('\'' + as_typed(text, '\'') + '\''), Words{text});
  }
}

}  // namespace
}  // namespace holdfast::cli::shell
