#include "cli/shell/completion.h"

#include <gtest/gtest.h>

#include <map>

#include "cli/shell/commands.h"

namespace holdfast::cli::shell {
namespace {

const std::map<std::string, std::vector<std::string>> kTree{
    {"/", {"locks", "locals", "zookeeper", "two words"}},
    {"/locks", {"b", "a", "a\x1b[2J", "a\u202e"}},
    {"/locals", {}},
    {"/two words", {}},
};

std::optional<std::vector<std::string>> children_of(const std::string& path) {
  const auto found = kTree.find(path);
  return found == kTree.end() ? std::nullopt : std::optional(found->second);
}

std::string typed(std::string_view line) { return complete(line, children_of).typed; }
std::vector<std::string> choices(std::string_view line) { return complete(line, children_of).choices; }

TEST(ShellCompletion, finishes_commands) {
  EXPECT_EQ(typed("cr"), "eate ");
  EXPECT_EQ(typed("delete"), "");
  EXPECT_EQ(choices("delete"), (std::vector<std::string>{"delete", "deleteall"}));
  EXPECT_EQ(typed("help rem"), "ovewatches ");
  EXPECT_EQ(typed("nonsense"), "");
  EXPECT_EQ(choices("").size(), all_commands().size());
}

TEST(ShellCompletion, finishes_options_of_the_command) {
  EXPECT_EQ(choices("create -"), (std::vector<std::string>{"-c", "-e", "-s", "-t"}));
  EXPECT_EQ(typed("getAcl -"), "s ");
  EXPECT_EQ(typed("addWatch -m P"), "ERSISTENT");
}

TEST(ShellCompletion, finishes_paths_by_asking_the_server) {
  EXPECT_EQ(typed("ls "), "/");
  EXPECT_EQ(typed("ls /lo"), "c");
  EXPECT_EQ(choices("ls /loc"), (std::vector<std::string>{"locals", "locks"}));
  EXPECT_EQ(typed("ls /lock"), "s/") << "it has children";
  EXPECT_EQ(typed("ls /loca"), "ls ") << "it has none";
  EXPECT_EQ(typed("ls -s /zoo"), "keeper ") << "it cannot be asked";
  EXPECT_EQ(typed("ls /nowhere/a"), "");
  EXPECT_EQ(typed("whoami /lo"), "") << "takes no path";
}

TEST(ShellCompletion, types_blanks_so_that_they_stay_in_the_word) {
  EXPECT_EQ(typed("ls /tw"), "o\\ words ");
  EXPECT_EQ(typed("ls '/tw"), "o words' ");
  EXPECT_EQ(typed("ls \"/two w"), "ords\" ");
}

TEST(ShellCompletion, never_types_a_control_character) {
  EXPECT_EQ(choices("ls /locks/"), (std::vector<std::string>{"a", "b"}));
}

TEST(ShellCommands, are_described_with_every_option_they_take) {
  for (const auto& command : all_commands()) {
    EXPECT_FALSE(command.help.empty());
    EXPECT_NE(command.run, nullptr);
    for (const char option : command.options) {
      if (option == ':') continue;
      EXPECT_NE(command.usage.find(std::string{'-', option}), std::string_view::npos) << command.name << " -" << option;
    }
  }
}

}  // namespace
}  // namespace holdfast::cli::shell
