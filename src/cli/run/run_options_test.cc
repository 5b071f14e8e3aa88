#include "cli/run/run_options.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

RunArguments named(const std::string& name) { return {.names = {name}}; }
const std::vector<std::string> kCommand{"/usr/bin/make", "deploy"};

TEST(RunOptions, are_those_of_a_plain_lock_unless_told_otherwise) {
  const auto options = read_run_options(named("x"), kCommand);
  ASSERT_TRUE(options) << options.error();
  EXPECT_FALSE(options->wait);
  EXPECT_FALSE(options->permits);
  EXPECT_EQ(options->conflict_code, 75);
  EXPECT_EQ(options->on_lost, OnLost::term);
  EXPECT_EQ(options->purpose, "") << "arguments may be secret";
}

TEST(RunOptions, are_read) {
  auto arguments = named("x");
  arguments.wait = "1.5";
  arguments.permits = "2/3";
  arguments.conflict_code = "0";
  arguments.min_hold = "1m";
  arguments.max_hold = "1h";
  arguments.on_lost = "ignore";
  arguments.kill_after = "250ms";
  arguments.purpose = "because";
  const auto options = read_run_options(arguments, kCommand);
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->wait, 1'500ms);
  EXPECT_EQ(options->permits->wanted, 2);
  EXPECT_EQ(options->permits->of, 3);
  EXPECT_EQ(options->conflict_code, 0);
  EXPECT_EQ(options->min_hold, 1min);
  EXPECT_EQ(options->max_hold, 1h);
  EXPECT_EQ(options->on_lost, OnLost::ignore);
  EXPECT_EQ(options->kill_after, 250ms);
  EXPECT_EQ(options->purpose, "because");
}

TEST(RunOptions, not_to_wait_is_to_wait_for_no_time) {
  auto arguments = named("x");
  arguments.do_not_wait = true;
  EXPECT_EQ(read_run_options(arguments, kCommand)->wait, 0s);
}

std::vector<std::string> taken(std::vector<std::string> words, int& argc) {
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argc = static_cast<int>(argv.size());
  return take_command(argc, argv.data());
}

TEST(RunOptions, the_command_begins_behind_the_first_two_dashes) {
  int argc = 0;
  EXPECT_EQ(taken({"holdfast", "run", "x", "--", "git", "log", "--", "a"}, argc),
            (std::vector<std::string>{"git", "log", "--", "a"}));
  EXPECT_EQ(argc, 3);
  EXPECT_TRUE(taken({"holdfast", "run", "x"}, argc).empty());
  EXPECT_EQ(argc, 3);
  EXPECT_TRUE(taken({"holdfast", "shell", "--", "ls"}, argc).empty()) << "not ours to take";
  EXPECT_EQ(argc, 4);
}

}  // namespace
}  // namespace holdfast::cli
