#include "cli/commands/complaint.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/config/setting_value.h"
#include "settings/nearest.h"

namespace holdfast::cli {
namespace {

// Commands and their commands: "holdfast local status" is three.
struct Innermost {
  const CLI::App* command;
  std::string name;  // the whole of it
};

Innermost innermost(const CLI::App& app) {
  Innermost found{&app, app.get_name()};
  for (auto inner = app.get_subcommands(); !inner.empty(); inner = inner.front()->get_subcommands()) {
    found.command = inner.front();
    found.name += " " + found.command->get_name();
  }
  return found;
}

bool is_shown(const CLI::App& command) { return !command.get_name().empty() && !command.get_group().empty(); }

std::string guess(const std::optional<std::string_view>& meant) {
  return meant ? fmt::format("did you mean {}? ", *meant) : std::string();
}

std::string about_command(const Innermost& at, const std::string& word) {
  std::vector<std::string_view> names;
  for (const auto* each : at.command->get_subcommands([](const CLI::App* app) { return is_shown(*app); })) {
    names.push_back(each->get_name());
  }
  const auto meant = nearest(word, names);
  return fmt::format("there is no command {}; {}{} --help lists them", in_quotes(word), guess(meant), at.name);
}

void add_options(const CLI::App& command, std::vector<std::string>& names) {
  for (const auto* each : command.get_options()) {
    for (const auto& name : each->get_lnames()) names.push_back("--" + name);
  }
}

std::string about_option(const Innermost& at, const std::string& word) {
  std::vector<std::string> names;
  add_options(*at.command, names);
  // Before the command any option of a command may stand.
  for (const auto* each : at.command->get_subcommands([](const CLI::App* app) { return is_shown(*app); })) {
    add_options(*each, names);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto meant = nearest(std::string_view(word).substr(0, word.find('=')), views);
  return fmt::format("{} has no option {}; {}{} --help lists them", at.name, in_quotes(word), guess(meant), at.name);
}

// CLI11 begins with a capital and may have lines and a full stop; ours do not.
std::string as_ours(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

}  // namespace

std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const auto at = innermost(app);
  const auto left = app.remaining(/*recurse=*/true);
  const bool has_commands = !at.command->get_subcommands([](const CLI::App* each) { return is_shown(*each); }).empty();
  for (const auto& word : left) {
    if (word.starts_with('-') && word.size() > 1) return about_option(at, word);
    if (has_commands) return about_command(at, word);
    return fmt::format("{} does not take {}; {} --help says what it takes", at.name, in_quotes(word), at.name);
  }
  if (has_commands) return fmt::format("say which command; {} --help lists them", at.name);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
    // "--url: 1 required URL missing"
    const std::string what = error.what();
    const auto end = what.find(": 1 required ");
    if (end != std::string::npos) {
      return fmt::format("{}: has no value; give it one; {} --help says more", what.substr(0, end), at.name);
    }
  }
  return fmt::format("{}; {} --help says more", as_ours(error.what()), at.name);
}

}  // namespace holdfast::cli
