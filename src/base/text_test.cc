#include "base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

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

// Every one that Unicode 15 lists as Default_Ignorable_Code_Point (but for the two joiners), and what is drawn as an empty cell.
TEST(Text, hides_nothing_that_unicode_calls_ignorable_nor_what_looks_blank) {
  constexpr std::pair<std::uint32_t, std::uint32_t> kRanges[] = {
      {0x00ad, 0x00ad},   {0x034f, 0x034f},   {0x061c, 0x061c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},
      {0x180b, 0x180f},   {0x200b, 0x200b},   {0x200e, 0x200f},   {0x202a, 0x202e}, {0x2060, 0x206f},
      {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfff8},
      {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}, {0x2800, 0x2800}, {0x1d159, 0x1d159}};
  for (const auto& [first, last] : kRanges) {
    for (auto code = first; code <= last; ++code) {
      EXPECT_TRUE(is_hidden(code)) << std::hex << code;
      EXPECT_TRUE(is_hidden(code, 'a')) << std::hex << code;
    }
  }
  EXPECT_EQ(printable("a\u3164b"), R"(a\xe3\x85\xa4b)");
  EXPECT_EQ(printable("\u2800"), R"(\xe2\xa0\x80)");
}

TEST(Text, shows_how_a_picture_is_to_be_drawn_only_behind_one) {
  for (const auto& text : {"⚠\ufe0f"s, "❤\ufe0f\u200d🔥"s, "🏳\ufe0f"s, "☎\ufe0e"s}) EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable("a\ufe0f"), R"(a\xef\xb8\x8f)");
  EXPECT_EQ(printable("\ufe0f"), R"(\xef\xb8\x8f)");
  EXPECT_EQ(printable("⚠\ufe0f\ufe0f"),
            "⚠\ufe0f"
            R"(\xef\xb8\x8f)")
      << "the second is not seen";
}

TEST(Text, leaves_the_neighbours_of_what_is_hidden_alone) {
  for (const auto& text : {"\u00ac\u00ae"s, "\u061b\u061d"s, "\u200a"s, "\u2010\u2027"s, "\u202f"s, "\u2070"s,
                           "\u034e\u0350"s, "\u115e\u1161"s, "\u27ff\u2801"s, "\u3163\u3165"s, "\ufdff\ufe10"s,
                           "\ufefe"s, "\uff00"s, "\uff9f\uffa1"s, "\uffef"s, "\ufffc"s, "\U000dffff"s, "\U000e1000"s}) {
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
