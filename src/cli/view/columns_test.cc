#include "cli/view/columns.h"

#include <gtest/gtest.h>

#include "cli/view/colour.h"

namespace holdfast::cli {
namespace {

TEST(Columns, counts_what_a_terminal_would) {
  EXPECT_EQ(width_of(""), 0U);
  EXPECT_EQ(width_of("orders/1"), 8U);
  EXPECT_EQ(width_of("grün"), 4U);
  EXPECT_EQ(width_of("注文"), 4U);
  EXPECT_EQ(width_of("e\u0301"), 1U) << "an accent of its own stands above the letter";
  EXPECT_EQ(width_of("\xff\xfe"), 2U);
}

TEST(Columns, leaves_alone_what_fits) {
  EXPECT_EQ(fit("orders", 6), "orders");
  EXPECT_EQ(fit("", 0), "");
}

TEST(Columns, cuts_between_characters_and_shows_that_it_did) {
  EXPECT_EQ(fit("orders", 5), "orde…");
  EXPECT_EQ(fit("grün", 3), "gr…");
  EXPECT_EQ(fit("注文書", 4), "注…") << "half a character is none";
  EXPECT_EQ(fit("orders", 1), "…");
  EXPECT_EQ(fit("orders", 0), "");
}

TEST(Columns, a_colour_takes_none_and_ends_where_the_text_is_cut) {
  const auto red = painted("orders", Tone::bad);
  EXPECT_EQ(width_of(red), 6U);
  EXPECT_EQ(fit(red, 6), red);
  EXPECT_EQ(fit(red, 5), "\x1b[31morde…\x1b[0m");
  EXPECT_EQ(width_of("\x1b[2J"), 4U) << "whatever else begins like one";
}

}  // namespace
}  // namespace holdfast::cli
