#include "server/first_zxid.h"

#include <gtest/gtest.h>

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;

// 2026-11-18
constexpr std::chrono::microseconds kToday = 1'795'000'000s;

TEST(FirstZxid, of_an_in_memory_server_grows_with_the_clock) {
  EXPECT_GT(first_zxid(nullptr, kToday + 1us), first_zxid(nullptr, kToday));
}

// A life of one millisecond that did nothing but write has used less than what the clock has moved on by.
TEST(FirstZxid, is_beyond_all_that_an_earlier_life_could_have_given) {
  const auto before = first_zxid(nullptr, kToday);
  const auto written = 1'000 * kZxidsPerMicrosecond;
  EXPECT_GE(first_zxid(nullptr, kToday + 1ms), before + written);
}

TEST(FirstZxid, keeps_all_its_digits_in_json_for_decades) {
  const auto in_2055 = first_zxid(nullptr, 2'682'000'000s);
  EXPECT_LT(in_2055, wire::Zxid{1} << 53);
}

TEST(FirstZxid, is_above_those_of_versions_that_had_no_clock_even_before_the_clock_is_set) {
  EXPECT_GE(first_zxid(nullptr, 0us), wire::Zxid{1} << 40);
}

}  // namespace
}  // namespace holdfast::server
