// `holdfast run --access-log`.
#include <gtest/gtest.h>

#include <regex>

#include "run_command.h"

namespace holdfast::testing {
namespace {

// Without time, process and durations, which each line has to have.
std::vector<std::string> lines_of(const std::filesystem::path& path) {
  static const std::regex whole("[0-9-]{10}T[0-9:.]{12}Z [0-9]+ (.*)\\|[0-9]+");
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    EXPECT_TRUE(std::regex_match(line, match, whole)) << line;
    lines.push_back(match[1]);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(RunAccessLog, has_a_line_for_the_acquire_and_one_for_the_release) {
  const TempDir dir;
  const auto log = dir / "access.log";
  const auto name = fresh_name();
  EXPECT_EQ(RunCommand({"--access-log", log, name, "--", "true"}).exit_code(), 0);
  EXPECT_EQ(RunCommand({"--access-log", log, name, "--", "false"}).exit_code(), 1);
  EXPECT_EQ(lines_of(log), (Lines{"acquire|" + name + "|true", "release|" + name + "|true", "acquire|" + name + "|true",
                                  "release|" + name + "|true"}));
}

TEST(RunAccessLog, says_that_the_lock_was_not_acquired) {
  const TempDir dir;
  const auto log = dir / "access.log";
  const auto name = fresh_name();
  RunCommand holder({name, "--", "sh", "-c", "echo held; sleep 1000"});
  ASSERT_EQ(holder.line(), "held");
  EXPECT_EQ(RunCommand({"--access-log", log, "-n", name, "--", "true"}).exit_code(), 75);
  EXPECT_EQ(lines_of(log), Lines{"acquire|" + name + "|false"});
}

TEST(RunAccessLog, that_cannot_be_opened_is_refused_before_the_command_is_run) {
  const TempDir dir;
  RunCommand run({"--access-log", dir / "no/access.log", fresh_name(), "--", "touch", dir / "ran"});
  EXPECT_EQ(run.exit_code(), 64);
  EXPECT_EQ(run.errors(), "holdfast: the access log " + (dir / "no/access.log").string() +
                              " cannot be opened: No such file or directory; name a file that can be written\n");
  EXPECT_FALSE(std::filesystem::exists(dir / "ran"));
}

}  // namespace
}  // namespace holdfast::testing
