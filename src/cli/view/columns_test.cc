#include "cli/view/columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/view/colour.h"
#include "support/terminal_screen.h"

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

TEST(LiveRow, is_one_row_on_a_terminal_of_every_width_and_leaves_none) {
  using testing::TerminalScreen;
  for (const std::string text :
       {"x: waiting", "nightly: 2nd in line; held for 4m10s by holdfast (pid 812) on web1: backup", "grün: waiting",
        "注文: 待っています、長い長い長い名前"}) {
    for (std::size_t width = 1; width <= 120; ++width) {
      const auto drawn = live_row(text, width);
      TerminalScreen screen(width, 10);
      screen.feed(drawn);
      screen.feed(drawn);
      ASSERT_EQ(screen.rows().size(), 1U) << width;
      ASSERT_LE(width_of(screen.row()), std::max<std::size_t>(width, 2) - 1) << width;
      screen.feed(kEraseLiveRow);
      ASSERT_TRUE(screen.rows().empty()) << width;
    }
  }
}

// The terminal breaks it into several rows, and the cursor stays at its beginning.
TEST(LiveRow, leaves_nothing_in_a_window_that_became_narrower) {
  const auto shown = fit("nightly: 2nd in line; held for 4m10s by holdfast (pid 812) on web1: backup", 79);
  for (std::size_t width = 1; width < 79; ++width) {
    const auto rows = (width_of(shown) + width - 1) / width;
    testing::TerminalScreen narrow(width, 100);
    narrow.feed(shown + "\r");
    if (rows > 1) narrow.feed("\x1b[" + std::to_string(rows - 1) + "A");
    narrow.feed(live_row("x", width));
    ASSERT_EQ(narrow.rows(), std::vector<std::string>{"x"}) << width;
    narrow.feed(kEraseLiveRow);
    ASSERT_TRUE(narrow.rows().empty()) << width;
  }
}

}  // namespace
}  // namespace holdfast::cli
