#include "cli/shell/arguments.h"

#include <gtest/gtest.h>

namespace holdfast::cli::shell {
namespace {

using Words = std::vector<std::string>;

TEST(ShellArguments, may_have_options_together_apart_and_behind_words) {
  const auto parsed = parse_arguments({"-se", "/a", "-t", "100", "data"}, "set:");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_TRUE(parsed->has('s') && parsed->has('e'));
  EXPECT_FALSE(parsed->has('c'));
  EXPECT_EQ(parsed->value('t'), "100");
  EXPECT_EQ(parsed->words(), (Words{"/a", "data"}));
  EXPECT_EQ(parse_arguments({"-t100"}, "t:")->value('t'), "100");
}

TEST(ShellArguments, take_what_is_no_option_behind_a_path_as_a_word) {
  EXPECT_EQ(parse_arguments({"/a", "-1"}, "sv:")->words(), (Words{"/a", "-1"}));
  EXPECT_EQ(parse_arguments({"/a", "-"}, "s")->words(), (Words{"/a", "-"}));
}

TEST(ShellArguments, have_only_words_behind_two_dashes) {
  const auto parsed = parse_arguments({"--", "/a", "-s"}, "s");
  EXPECT_FALSE(parsed->has('s'));
  EXPECT_EQ(parsed->words(), (Words{"/a", "-s"}));
}

TEST(ShellArguments, name_what_is_wrong) {
  EXPECT_EQ(parse_arguments({"-x", "/a"}, "s").error(), "There is no option -x");
  EXPECT_EQ(parse_arguments({"-:", "/a"}, "t:").error(), "There is no option -:");
  EXPECT_EQ(parse_arguments({"/a", "-t"}, "t:").error(), "A value is missing after -t");
}

}  // namespace
}  // namespace holdfast::cli::shell
