// include/holdfast/client.h, "Log".
#include "base/log.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <string>

#include "support/forked_child.h"

namespace holdfast::base {
namespace {

using testing::in_child;

// Each in a process of its own: the choice is made once.
TEST(Log, goes_to_the_logger_that_the_program_has_registered) {
  EXPECT_EQ(in_child([] {
              std::ostringstream text;
              spdlog::register_logger(
                  std::make_shared<spdlog::logger>("holdfast", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
              log().info("a word");
              return text.str().find("a word") == std::string::npos ? 1 : 0;
            }),
            0);
}

TEST(Log, without_one_is_warnings_on_stderr) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_EQ(in_child([&] {
              ::dup2(ends[1], STDERR_FILENO);
              log().info("not this");
              log().warn("but this");
              return 0;
            }),
            0);
  ::close(ends[1]);
  std::string text(1'024, '\0');
  const auto got = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  EXPECT_NE(text.find("[holdfast] [warning] but this\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("not this"), std::string::npos) << text;
}

}  // namespace
}  // namespace holdfast::base
