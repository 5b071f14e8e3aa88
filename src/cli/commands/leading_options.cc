#include "cli/commands/leading_options.h"

#include <algorithm>
#include <string_view>

namespace holdfast::cli {
namespace {

// "--url" of "--url=zk://...", "-w" of "-w3".
std::string name_of(const std::string& word) {
  constexpr std::size_t kShort = 2;
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, kShort);
}

// That of any command; they do not disagree on whether a value follows.
const CLI::Option* find_below(const CLI::App& app, const std::string& name) {
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (const auto* option = command->get_option_no_throw(name)) return option;
    if (const auto* option = find_below(*command, name)) return option;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> options_after_command(const CLI::App& app, std::vector<std::string> words) {
  auto command = words.begin();
  while (command != words.end() && command->starts_with('-') && command->size() > 1 && *command != "--") {
    const auto name = name_of(*command);
    const auto* option = find_below(app, name);
    if (app.get_option_no_throw(name) != nullptr || option == nullptr) return words;
    const bool value_follows = option->get_items_expected_min() > 0 && *command == name;
    if (++command != words.end() && value_follows) ++command;
  }
  if (command == words.end()) return {};  // no command is what is wrong with it
  const auto end = std::find(command, words.end(), "--");
  std::rotate(words.begin(), command, end);
  return words;
}

}  // namespace holdfast::cli
