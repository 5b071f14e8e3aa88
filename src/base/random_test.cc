#include "base/random.h"

#include <gtest/gtest.h>

#include <set>

namespace holdfast::base {
namespace {

TEST(RandomNumber, is_another_each_time) {
  std::set<std::uint32_t> seen;
  std::uint32_t ones = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto number = random_number();
    seen.insert(number);
    ones |= number;
  }
  EXPECT_GT(seen.size(), 990U);
  EXPECT_EQ(ones, 0xffffffffU) << "every bit is used";
}

TEST(RandomNumber, comes_from_who_owns_the_numbers_of_the_thread) {
  {
    const OwnRandomNumbers own([] { return 7U; });
    EXPECT_EQ(random_number(), 7U);
    EXPECT_EQ(Dice{}(), 7U);
  }
  EXPECT_FALSE(random_number() == 7 && random_number() == 7);
}

}  // namespace
}  // namespace holdfast::base
