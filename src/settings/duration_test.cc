#include "settings/duration.h"

#include <gtest/gtest.h>

namespace holdfast::settings {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr Range<milliseconds> kAnyTime{0ms, 24h};

TEST(Duration, of_an_option_is_in_seconds_or_has_a_unit) {
  EXPECT_EQ(parse_seconds("3"), 3s);
  EXPECT_EQ(parse_seconds("0"), 0s);
  EXPECT_EQ(parse_seconds("0.5"), 500ms);
  EXPECT_EQ(parse_seconds(".25"), 250ms);
  EXPECT_EQ(parse_seconds("1.5s"), 1'500ms);
  EXPECT_EQ(parse_seconds("2 s"), 2s);
  EXPECT_EQ(parse_seconds("250ms"), 250ms);
  EXPECT_EQ(parse_seconds("10m"), 10min);
  EXPECT_EQ(parse_seconds("2h"), 2h);
  EXPECT_EQ(parse_seconds("1d"), 24h);
}

TEST(Duration, is_nothing_else) {
  for (const auto* text : {"",
                           ".",
                           "-1",
                           "+1",
                           "1.2.3",
                           "soon",
                           "s",
                           "1e3",
                           "0x10",
                           "5x",
                           "2S",
                           "2 sec",
                           "2s3",
                           "1h30m",
                           "400d",
                           "99999999999999999999999",
                           "18446744073709551615h",
                           "inf",
                           " 2s",
                           " 2"}) {
    EXPECT_FALSE(parse_seconds(text)) << text;
    EXPECT_FALSE(parse_duration(text, kAnyTime)) << text;
  }
}

TEST(Duration, of_a_file_has_a_unit_and_a_plain_number_is_answered_with_both_that_it_could_have) {
  EXPECT_EQ(parse_duration("250ms", kAnyTime), 250ms);
  EXPECT_EQ(parse_duration("2.5s", kAnyTime), 2'500ms);
  EXPECT_EQ(parse_duration("3m", kAnyTime), 3min);
  for (const auto* text : {"0", "3", "15000", "0.5"}) {
    const std::string number(text);
    EXPECT_EQ(parse_duration(number, kAnyTime).error(),
              "a number without a unit could be seconds or milliseconds; write " + number + "s or " + number + "ms");
  }
}

TEST(Duration, is_kept_in_its_range_and_the_range_is_said) {
  EXPECT_EQ(parse_duration("2h", {1ms, 1h}).error(), "write a time from 1ms to 1h, such as 2s or 500ms");
  EXPECT_TRUE(parse_duration("1h", {1ms, 1h}));
  EXPECT_FALSE(parse_duration("1.1h", {1ms, 1h}));
  EXPECT_FALSE(parse_duration("0s", {1ms, 1h}));
  EXPECT_FALSE(parse_duration("0.5ms", {1ms, 1h}));
  EXPECT_EQ(parse_duration("0.5ms", kAnyTime), 1ms) << "to wait a little is not to wait at all";
}

TEST(Duration, gets_the_unit_of_where_it_stands) {
  EXPECT_EQ(with_unit("3"), "3s");
  EXPECT_EQ(with_unit("0.5"), "0.5s");
  EXPECT_EQ(with_unit("1500", "ms"), "1500ms");
  for (const auto* text : {"", "3ms", "soon", ".", "1.2.3", "-3", "99999999999999999999999"}) {
    EXPECT_EQ(with_unit(text), text);
  }
}

TEST(Duration, that_is_shown_is_read_back) {
  for (const auto value : {0ms, 1ms, 999ms, 1000ms, 1001ms, 60'000ms, 90'000ms, 3'600'000ms, 86'400'000ms}) {
    EXPECT_EQ(parse_duration(show_duration(value), kAnyTime), value);
  }
  EXPECT_EQ(show_duration(1'500ms), "1500ms");
  EXPECT_EQ(show_duration(90s), "90s");
}

TEST(Duration, in_a_message_has_two_decimals_at_most) {
  EXPECT_EQ(show_seconds(2s), "2s");
  EXPECT_EQ(show_seconds(14'250ms), "14.25s");
  EXPECT_EQ(show_seconds(1'234'567us), "1.23s");
  EXPECT_EQ(show_seconds(100ms), "0.1s");
  EXPECT_EQ(show_seconds(0s), "0s");
}

}  // namespace
}  // namespace holdfast::settings
