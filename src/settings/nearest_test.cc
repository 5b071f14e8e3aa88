#include "settings/nearest.h"

#include <gtest/gtest.h>

namespace holdfast::settings {
namespace {

const std::vector<std::string_view> kNames{"server", "status", "session_timeout", "limits.frame"};

TEST(Nearest, finds_what_was_mistyped) {
  EXPECT_EQ(nearest("sevrer", kNames), "server");
  EXPECT_EQ(nearest("stauts", kNames), "status");
  EXPECT_EQ(nearest("sessionTimeout", kNames), "session_timeout");
  EXPECT_EQ(nearest("session-timeout", kNames), "session_timeout");
  EXPECT_EQ(nearest("frame", kNames), "limits.frame");
  EXPECT_EQ(nearest("serv", kNames), "server");
  EXPECT_EQ(nearest("--jsno", {"--json", "--help"}), "--json");
}

TEST(Nearest, finds_nothing_where_nothing_is_near) {
  EXPECT_EQ(nearest("banana", kNames), std::nullopt);
  EXPECT_EQ(nearest("", kNames), std::nullopt);
  EXPECT_EQ(nearest("server", {}), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'x'), kNames), std::nullopt);
}

}  // namespace
}  // namespace holdfast::settings
