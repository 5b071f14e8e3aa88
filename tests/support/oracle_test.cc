#include "oracle.h"

#include <gtest/gtest.h>

#include "temp_dir.h"

namespace holdfast::testing {
namespace {

TEST(Oracle, records_grants_in_order) {
  const TempDir dir("oracle");
  Oracle oracle(dir.path());
  ASSERT_TRUE(oracle.enter("a"));
  oracle.leave("a", "1");
  ASSERT_TRUE(oracle.enter("b"));
  oracle.leave("b", "-");
  const auto grants = oracle.grants();
  ASSERT_EQ(grants.size(), 2u);
  EXPECT_EQ(grants[0].id, "a");
  EXPECT_EQ(grants[0].token, "1");
  EXPECT_EQ(grants[1].id, "b");
  EXPECT_EQ(grants[1].token, "-");
  EXPECT_TRUE(oracle.overlaps().empty());
}

TEST(Oracle, records_who_found_whom_inside) {
  const TempDir dir("oracle");
  Oracle one(dir.path());
  Oracle other(dir.path());
  ASSERT_TRUE(one.enter("a"));
  EXPECT_FALSE(other.enter("b"));
  EXPECT_EQ(other.overlaps(), std::vector<std::string>{"b found a"});
  EXPECT_TRUE(one.grants().empty());
}

TEST(Oracle, forgets_a_holder_that_was_killed) {
  const TempDir dir("oracle");
  Oracle oracle(dir.path());
  ASSERT_TRUE(oracle.enter("a"));
  oracle.clear_inside();
  EXPECT_TRUE(oracle.enter("b"));
  EXPECT_TRUE(oracle.overlaps().empty());
}

}  // namespace
}  // namespace holdfast::testing
