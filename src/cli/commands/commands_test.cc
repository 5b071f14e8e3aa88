#include "cli/commands/commands.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace holdfast::cli {
namespace {

using Visit = std::function<void(const std::string& command, CLI::Option& option)>;

// Every option of every command, hidden ones and commands of commands included.
void walk(CLI::App& app, const std::string& path, const Visit& visit) {
  for (auto* option : app.get_options()) visit(path, *option);
  for (auto* below : app.get_subcommands([](CLI::App*) { return true; }))
    walk(*below, path + " " + below->get_name(), visit);
}

TEST(Commands, a_plain_number_is_seconds_in_every_option_that_takes_a_time) {
  CLI::App app("", "holdfast");
  int exit_code = 0;
  add_commands(app, exit_code, {});
  std::set<std::string> seen;
  walk(app, "holdfast", [&](const std::string& command, CLI::Option& option) {
    const auto name = command + " " + option.get_name();
    for (const auto* unit : {"SECONDS", "MS", "MILLISECONDS", "DURATION"}) {
      EXPECT_NE(option.get_type_name(), unit) << name << ": there is one kind of time, as_time()";
    }
    if (option.get_type_name() != "TIME") return;
    seen.insert(option.get_single_name());
    const auto means = [&](const std::string& text) {
      option.clear();
      option.add_result(text);
      std::string value;
      option.results(value);
      option.clear();
      return value;
    };
    EXPECT_EQ(means("3"), "3s") << name;
    EXPECT_EQ(means("0.5"), "0.5s") << name;
    EXPECT_EQ(means("3ms"), "3ms") << name;
    EXPECT_EQ(means("10m"), "10m") << name;
  });
  const std::set<std::string> known{"connect-timeout", "grace",           "kill-after", "max-hold",
                                    "min-hold",        "session-timeout", "wait"};
  EXPECT_EQ(seen, known) << "an option that takes a time is made by as_time(), and is in docs/command.md";
}

}  // namespace
}  // namespace holdfast::cli
