#include "cli/completion/command_tree.h"

#include <algorithm>
#include <array>

#include "cli/config/service.h"

namespace holdfast::cli::completion {
namespace {

// What a placeholder stands for, where the parser knows it only as text.
struct Meaning {
  std::string_view shown;
  Value::Kind kind;
  std::array<std::string_view, 3> words{};
};
constexpr std::array kMeanings{
    Meaning{"FILE", Value::Kind::file},
    Meaning{"DIR", Value::Kind::directory},
    Meaning{"NAME", Value::Kind::lock},
    Meaning{"ROOT", Value::Kind::lock},
    Meaning{"URL", Value::Kind::words, {"zk://", "local:"}},
    Meaning{"LEVEL", Value::Kind::words, {"power", "process"}},
    Meaning{"WHAT", Value::Kind::words, {"term", "kill", "ignore"}},
    Meaning{"SHELL", Value::Kind::words, {"bash", "zsh", "fish"}},
};

Value value_of(const std::string& shown) {
  const auto meaning =
      std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& each) { return each.shown == shown; });
  if (meaning == kMeanings.end()) return {Value::Kind::any, shown};
  Value value{meaning->kind, shown};
  for (const auto word : meaning->words) {
    if (!word.empty()) value.words.emplace_back(word);
  }
  return value;
}

bool takes_many(const CLI::Option& option) {
  return option.get_items_expected_max() > 1 || option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Option read_option(const CLI::Option& option) {
  Option read{.names = {}, .help = first_line(option.get_description()), .value = {}, .repeatable = takes_many(option)};
  for (const auto& name : option.get_snames()) read.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) read.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) read.value = value_of(option.get_type_name());
  return read;
}

Command read_command(const CLI::App& app) {
  Command command{.name = app.get_name(),
                  .help = first_line(app.get_description()),
                  .options = {},
                  .arguments = {},
                  .commands = {}};
  for (const auto* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->nonpositional()) {
      command.options.push_back(read_option(*option));
    } else {
      command.arguments.push_back({value_of(option->get_name(true)), takes_many(*option)});
    }
  }
  for (const auto* below : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    command.commands.push_back(read_command(*below));
  }
  return command;
}

}  // namespace

Command read_tree(const CLI::App& app) {
  auto tree = read_command(app);
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::vector<Option> shared;
    for (const auto* option : command->get_options()) {
      if (option->get_group() == kServiceGroup) shared.push_back(read_option(*option));
    }
    if (shared.empty()) continue;
    tree.options.insert(tree.options.end(), shared.begin(), shared.end());
    break;
  }
  return tree;
}

void walk(const Command& command, const std::function<void(const std::string&, const Command&)>& visit) {
  const std::function<void(const std::string&, const Command&)> step = [&](const std::string& path,
                                                                           const Command& each) {
    visit(path, each);
    for (const auto& below : each.commands) step(path.empty() ? below.name : path + " " + below.name, below);
  };
  step("", command);
}

}  // namespace holdfast::cli::completion
