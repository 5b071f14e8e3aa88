#include "cli/shell/path.h"

#include <gtest/gtest.h>

namespace holdfast::cli::shell {
namespace {

TEST(ShellPath, begins_with_a_slash_and_may_end_with_one) {
  EXPECT_EQ(read_path("/"), "/");
  EXPECT_EQ(read_path("/a/b"), "/a/b");
  EXPECT_EQ(read_path("/a/"), "/a");
  for (const std::string text : {"", "a", "//", "/a//b", "/a/.", "/../a"}) EXPECT_FALSE(read_path(text)) << text;
  EXPECT_FALSE(read_path(std::string_view("/a\0", 3)));
}

TEST(ShellPath, of_a_sequential_node_may_be_a_directory) {
  EXPECT_EQ(read_sequential_path("/a/"), "/a/");
  EXPECT_EQ(read_sequential_path("/a/b-"), "/a/b-");
  EXPECT_FALSE(read_sequential_path("/a//"));
}

TEST(ShellPath, knows_its_parent_and_children) {
  EXPECT_EQ(parent_of("/a/b"), "/a");
  EXPECT_EQ(parent_of("/a"), "/");
  EXPECT_EQ(child_of("/", "a"), "/a");
  EXPECT_EQ(child_of("/a", "b"), "/a/b");
}

}  // namespace
}  // namespace holdfast::cli::shell
