#include "local/conditions.h"

#include <gtest/gtest.h>

namespace holdfast::local {
namespace {

// Open files, address space, memory, file size, processor time; and 20 less the niceness.
Conditions conditions(const char* files, const char* priority) {
  const auto best = Conditions().text();
  const auto first = best.find(' ');
  const auto last = best.rfind(' ');
  return Conditions::parse(files + best.substr(first, last - first + 1) + priority);
}

TEST(Conditions, survive_being_written_down) {
  for (const auto& each : {Conditions(), Conditions::of_this_process(), conditions("20", "1")}) {
    EXPECT_EQ(Conditions::parse(each.text()).text(), each.text());
  }
  for (const auto* text : {"", "20", "20 x", "a b c d e f", "-1 2 3 4 5 6"}) {
    EXPECT_EQ(Conditions::parse(text).text(), Conditions().text()) << text;
  }
}

TEST(Conditions, are_better_if_nothing_is_worse) {
  const auto best = Conditions();
  const auto few = conditions("20", "20");
  const auto nice = conditions("4096", "1");
  const auto both = conditions("20", "1");
  EXPECT_TRUE(best.better_than(few));
  EXPECT_TRUE(best.better_than(nice));
  EXPECT_TRUE(few.better_than(both));
  EXPECT_TRUE(nice.better_than(both));
  for (const auto& each : {best, few, nice, both}) {
    EXPECT_FALSE(each.better_than(each)) << "it would be replaced for ever";
    EXPECT_FALSE(each.better_than(best));
  }
  EXPECT_FALSE(few.better_than(nice));
  EXPECT_FALSE(nice.better_than(few)) << "or the two would replace each other for ever";
}

TEST(Conditions, say_what_holds_back) {
  EXPECT_EQ(Conditions().complaint(), "");
  EXPECT_EQ(conditions("20", "1").complaint(), "20 open files at most, niceness 19");
  EXPECT_EQ(conditions("4096", "0").complaint(), "idle priority");
}

}  // namespace
}  // namespace holdfast::local
