#include "base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::base {
namespace {

using namespace std::string_literals;

TEST(Text, of_any_language_is_shown_as_it_is) {
  for (const auto& text : {"Größe"s, "注文"s, "заказы"s, "שלום"s, "سلام"s, "😀🔒"s, "\u00a0"s, "e\u0301"s, ""s}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Text, keeps_the_joiners_that_words_and_pictures_are_written_with) {
  for (const auto& text : {"می\u200cخواهم"s, "क्\u200dष"s, "👩\u200d🔧"s}) EXPECT_EQ(printable(text), text);
}

TEST(Text, is_shown_without_controls_and_bytes_that_are_no_text) {
  EXPECT_EQ(printable("a\x1b[2J\n\x7f"), R"(a\x1b[2J\x0a\x7f)");
  EXPECT_EQ(printable("\u009b31m"), R"(\xc2\x9b31m)");
  EXPECT_EQ(printable("\xff"), R"(\xff)");
}

TEST(Text, cannot_turn_around_what_stands_beside_it) {
  EXPECT_EQ(printable("nightly\u202eylkeew"), R"(nightly\xe2\x80\xaeylkeew)");
  for (const auto* mark : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066",
                           "\u2067", "\u2068", "\u2069"}) {
    const auto shown = printable(std::string("a") + mark);
    EXPECT_TRUE(shown.starts_with("a\\x")) << shown;
    EXPECT_EQ(shown.find(mark), std::string::npos) << shown;
  }
}

TEST(Text, hides_nothing) {
  for (const auto* hidden : {"\u00ad", "\u180e", "\u200b", "\u2028", "\u2029", "\u2060", "\u2064", "\u206f", "\ufeff",
                             "\ufff9", "\ufffb", "\U000e0001", "\U000e0041", "\U000e007f"}) {
    const auto shown = printable(std::string("a") + hidden + "b");
    EXPECT_TRUE(shown.starts_with("a\\x") && shown.ends_with('b')) << shown;
    EXPECT_EQ(shown.find(hidden), std::string::npos) << shown;
  }
}

TEST(Text, leaves_the_neighbours_of_what_is_hidden_alone) {
  for (const auto& text : {"\u00ac\u00ae"s, "\u061b\u061d"s, "\u200a"s, "\u2010\u2027"s, "\u202f"s, "\u2070"s,
                           "\ufefe"s, "\uff00"s, "\ufff8"s, "\ufffc"s, "\U000dffff"s, "\U000e0080"s}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Text, that_is_printable_stays_so) {
  const auto once = printable("a\x1b\u202e\xff\\x");
  EXPECT_EQ(printable(once), once);
}

TEST(Text, is_cut_between_characters) {
  EXPECT_EQ(printable("aé", 2), "a...");
  EXPECT_EQ(printable("aé", 3), "aé");
}

}  // namespace
}  // namespace holdfast::base
