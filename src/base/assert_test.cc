#include "base/assert.h"

#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <string>

namespace holdfast::base {
namespace {

enum class Colour { red, green };

// The tests of a program with threads: each runs in a process of its own.
class AssertDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(AssertDeathTest, says_what_is_not_true_where_and_the_state_and_ends_in_every_build) {
  const int size = 3;
  const std::string name = "q";
  EXPECT_EXIT(HOLDFAST_ASSERT(size == 0, size, name), ::testing::KilledBySignal(SIGABRT),
              "holdfast: src/base/assert_test.cc:[0-9]+: TestBody\\(\\): not true: size == 0, with \\(size, name\\) = "
              "\\(3, \"q\"\\); this is a bug of Holdfast, please report it");
}

TEST_F(AssertDeathTest, needs_no_state) {
  EXPECT_DEATH(HOLDFAST_ASSERT(1 + 1 == 3), "not true: 1 \\+ 1 == 3; this is a bug");
}

TEST_F(AssertDeathTest, prints_every_kind_of_state) {
  using namespace std::chrono_literals;
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const int* none = nullptr;
  const std::chrono::steady_clock::time_point moment{5ns};
  EXPECT_DEATH(HOLDFAST_ASSERT(false, least, most, true, Colour::green, 7ms, moment, none, "text"),
               "= \\(-9223372036854775808, 18446744073709551615, \"true\", 1, 7, 5, 0x0, \"text\"\\)");
}

TEST_F(AssertDeathTest, cuts_a_state_that_is_too_long_and_ends_all_the_same) {
  const std::string text(100'000, 'x');
  EXPECT_EXIT(HOLDFAST_ASSERT(text.empty(), text, text, text, text, text, text, text, text, text, text, text, text),
              ::testing::KilledBySignal(SIGABRT), "not true: text.empty");
}

TEST(Assert, evaluates_its_condition_once_and_the_state_not_at_all_if_it_holds) {
  int conditions = 0;
  int states = 0;
  HOLDFAST_ASSERT(++conditions == 1, ++states);
  EXPECT_EQ(conditions, 1);
  EXPECT_EQ(states, 0);
}

}  // namespace
}  // namespace holdfast::base
