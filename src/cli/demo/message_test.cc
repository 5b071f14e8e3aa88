#include "cli/demo/message.h"

#include <gtest/gtest.h>

namespace holdfast::cli::demo {
namespace {

TEST(DemoMessage, comes_back_as_it_was) {
  const WorkerLine line{Says::lost, 18'000'000'000'000'000'000u, Clock::time_point(Clock::duration(12)),
                        Clock::time_point(Clock::duration(-3)), "a reason\nof two lines"};
  const auto text = to_line(line);
  ASSERT_EQ(text.find('\n'), text.size() - 1);
  const auto read = parse_worker_line(std::string_view(text).substr(0, text.size() - 1));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->says, line.says);
  EXPECT_EQ(read->token, line.token);
  EXPECT_EQ(read->at, line.at);
  EXPECT_EQ(read->valid_until, line.valid_until);
  EXPECT_EQ(read->reason, "a reason of two lines");
}

TEST(DemoMessage, is_not_made_up_from_something_else) {
  for (const auto* text :
       {"", " ", "granted", "granted 1 2", "granted x 2 3", "granted 1 2 3x", "went 1 2 3", "granted  2 3"}) {
    EXPECT_FALSE(parse_worker_line(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace holdfast::cli::demo
