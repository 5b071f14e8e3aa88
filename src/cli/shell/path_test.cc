#include "cli/shell/path.h"

#include <gtest/gtest.h>

#include "cli/shell/hosts.h"

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

TEST(ShellHosts, have_ports_and_brackets) {
  const auto hosts = parse_hosts("10.0.0.1:2182,[::1]:2183,zoo,[fe80::1]");
  ASSERT_TRUE(hosts) << hosts.error();
  std::vector<std::string> shown;
  for (const auto& each : *hosts) shown.push_back(each.shown());
  EXPECT_EQ(shown, (std::vector<std::string>{"10.0.0.1:2182", "[::1]:2183", "zoo:2181", "[fe80::1]:2181"}));
  for (const std::string text : {"", ":1", "a:", "a:0", "a:65536", "a:x", "[::1", "[::1]2", "a,,b"}) {
    EXPECT_FALSE(parse_hosts(text)) << text;
  }
}

}  // namespace
}  // namespace holdfast::cli::shell
