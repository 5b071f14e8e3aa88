#include "script.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace holdfast::testing {
namespace {

// Says back what it is told, and that it ends.
const ProcessOptions kEcho{.argv = {"sh", "-c", "echo ready; cat; echo the end >&2; exit 3"}};

TEST(Script, sends_and_waits_and_tells_all_that_was_said_on_both_outputs) {
  const auto told = converse(kEcho, parse_script("# hello\n< ready\n\n> one\n> two\n< two\n"));
  EXPECT_EQ(told.transcript, "ready\none\ntwo\nthe end\n");
  EXPECT_EQ(told.missing, "");
  EXPECT_EQ(told.status, 3);
}

TEST(Script, names_what_never_came) {
  const ProcessOptions silent{.argv = {"true"}};
  EXPECT_EQ(converse(silent, parse_script("< ready\n")).missing, "ready");
}

TEST(Script, does_not_take_an_earlier_line_for_an_answer) {
  const ProcessOptions forgetful{.argv = {"sh", "-c", "echo one; read x; echo two"}};
  EXPECT_EQ(converse(forgetful, parse_script("< one\n> again\n< one\n")).missing, "one");
}

TEST(Script, has_sent_and_expected_lines_and_nothing_else) {
  EXPECT_THROW((void)parse_script("< a\nls /t\n"), std::invalid_argument);
  EXPECT_THROW((void)parse_script("< \n"), std::invalid_argument);
  EXPECT_THROW((void)parse_script("> ls /t\n"), std::invalid_argument) << "it expects nothing";
  EXPECT_THROW((void)parse_script(""), std::invalid_argument);
}

}  // namespace
}  // namespace holdfast::testing
