#include "cli/run/seconds.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

TEST(Seconds, are_plain_numbers_with_fractions_or_have_a_unit) {
  EXPECT_EQ(parse_seconds("2"), 2s);
  EXPECT_EQ(parse_seconds("0"), 0s);
  EXPECT_EQ(parse_seconds("0.5"), 500ms);
  EXPECT_EQ(parse_seconds(".25"), 250ms);
  EXPECT_EQ(parse_seconds("1.5s"), 1'500ms);
  EXPECT_EQ(parse_seconds("250ms"), 250ms);
  EXPECT_EQ(parse_seconds("10m"), 10min);
  EXPECT_EQ(parse_seconds("2h"), 2h);
  EXPECT_EQ(parse_seconds("1d"), 24h);
}

TEST(Seconds, are_nothing_else) {
  for (const auto* text :
       {"", ".", "-1", "1.2.3", "soon", "1 s", "1e3", "5x", "400d", "99999999999999999999999", "inf"}) {
    EXPECT_FALSE(parse_seconds(text)) << text;
  }
}

TEST(Seconds, are_shown_with_two_decimals_at_most) {
  EXPECT_EQ(show_seconds(2s), "2s");
  EXPECT_EQ(show_seconds(14'250ms), "14.25s");
  EXPECT_EQ(show_seconds(1'234'567us), "1.23s");
  EXPECT_EQ(show_seconds(100ms), "0.1s");
  EXPECT_EQ(show_seconds(0s), "0s");
}

}  // namespace
}  // namespace holdfast::cli
