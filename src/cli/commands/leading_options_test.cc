#include "cli/commands/leading_options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"

namespace holdfast::cli {
namespace {

using Words = std::vector<std::string>;

Words after(Words words) {
  CLI::App app("", "holdfast");
  int exit_code = 0;
  add_commands(app, exit_code, {});
  return options_after_command(app, std::move(words));
}

TEST(LeadingOptions, are_moved_after_the_command_with_their_values) {
  EXPECT_EQ(after({"--url", "local:", "ls", "a"}), (Words{"ls", "a", "--url", "local:"}));
  EXPECT_EQ(after({"--url=local:", "--json", "ls"}), (Words{"ls", "--url=local:", "--json"}));
  EXPECT_EQ(after({"-w", "3", "-q", "run", "a"}), (Words{"run", "a", "-w", "3", "-q"}));
  EXPECT_EQ(after({"-w3", "run", "a"}), (Words{"run", "a", "-w3"}));
  EXPECT_EQ(after({"--namespace", "n", "config", "show"}), (Words{"config", "show", "--namespace", "n"}));
}

TEST(LeadingOptions, stay_before_two_dashes) {
  EXPECT_EQ(after({"--url", "u", "run", "a", "--", "git", "log", "--", "b"}),
            (Words{"run", "a", "--url", "u", "--", "git", "log", "--", "b"}));
}

TEST(LeadingOptions, without_a_command_are_nothing) { EXPECT_EQ(after({"--url", "u"}), Words{}); }

TEST(LeadingOptions, that_the_parser_shall_judge_stay_where_they_are) {
  for (const auto& words : {Words{}, Words{"ls", "--url", "u"}, Words{"--help"}, Words{"--version", "ls"},
                            Words{"--banana", "ls"}, Words{"--"}, Words{"-", "ls"}, Words{""}}) {
    EXPECT_EQ(after(words), words);
  }
}

TEST(LeadingOptions, of_one_name_agree_in_all_commands_on_whether_a_value_follows) {
  CLI::App app("", "holdfast");
  int exit_code = 0;
  add_commands(app, exit_code, {});
  std::map<std::string, int> values;
  const std::function<void(const CLI::App&)> walk = [&](const CLI::App& command) {
    for (const auto* option : command.get_options()) {
      for (const auto& name : option->get_lnames()) {
        const auto [known, first] = values.emplace(name, option->get_items_expected_min());
        EXPECT_EQ(known->second, option->get_items_expected_min()) << "--" << name;
      }
      for (const auto& name : option->get_snames()) {
        const auto [known, first] = values.emplace("-" + name, option->get_items_expected_min());
        EXPECT_EQ(known->second, option->get_items_expected_min()) << "-" << name;
      }
    }
    for (const auto* below : command.get_subcommands([](const CLI::App*) { return true; })) walk(*below);
  };
  walk(app);
  EXPECT_GT(values.size(), 20u);
}

}  // namespace
}  // namespace holdfast::cli
