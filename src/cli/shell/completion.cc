#include "cli/shell/completion.h"

#include <algorithm>

#include "base/text.h"
#include "cli/shell/commands.h"
#include "cli/shell/path.h"
#include "cli/shell/words.h"

namespace holdfast::cli::shell {
namespace {

// What can stand where the cursor is. `ends` is put behind the only choice.
struct Choices {
  std::vector<std::string> words{};
  std::size_t begun = 0;  // so many characters of each are typed already
  std::string ends = " ";
};

bool is_typeable(std::string_view name) {
  for (auto rest = name; !rest.empty();) {
    const auto code = base::decode_utf8(rest);
    if (code.length == 0 || base::is_control(code.value) || base::is_hidden(code.value)) return false;
    rest.remove_prefix(code.length);
  }
  return true;
}

Choices commands_like(std::string_view begun) {
  Choices choices{.begun = begun.size()};
  for (const auto& each : all_commands()) choices.words.emplace_back(each.name);
  return choices;
}

Choices options_of(const Command& command, std::string_view begun) {
  Choices choices{.begun = begun.size()};
  for (const char c : command.options) {
    if (c != ':') choices.words.push_back({'-', c});
  }
  return choices;
}

Choices paths_like(const std::string& begun, const ChildrenOf& children_of) {
  const auto slash = begun.rfind('/');
  const auto parent = slash == 0 ? std::string("/") : begun.substr(0, slash);
  const auto name = begun.substr(slash + 1);
  if (!read_path(parent)) return {};
  Choices choices{.words = children_of(parent).value_or(std::vector<std::string>{}), .begun = name.size()};
  std::erase_if(choices.words, [&](const std::string& each) { return !each.starts_with(name) || !is_typeable(each); });
  if (choices.words.size() != 1) return choices;
  const auto below = children_of(child_of(parent, choices.words.front()));
  if (below && !below->empty()) choices.ends = "/";
  return choices;
}

Choices choices_at(const UnfinishedLine& line, const ChildrenOf& children_of) {
  if (line.before.empty()) return commands_like(line.word);
  const auto& name = line.before.front();
  if (name == "help") return commands_like(line.word);
  const auto* command = find_command(name);
  if (command == nullptr) return {};
  if (line.before.back() == "-m" && command->options.find("m:") != std::string_view::npos) {
    return {.words = {"PERSISTENT", "PERSISTENT_RECURSIVE"}, .begun = line.word.size()};
  }
  if (line.word.starts_with('-')) return options_of(*command, line.word);
  if (!command->takes_path) return {};
  if (line.word.empty()) return {.words = {"/"}, .ends = ""};
  return line.word.starts_with('/') ? paths_like(line.word, children_of) : Choices{};
}

std::size_t shared_beginning(const std::vector<std::string>& words) {
  std::size_t shared = words.front().size();
  for (const auto& each : words) {
    const auto [differs, other] = std::mismatch(each.begin(), each.end(), words.front().begin(), words.front().end());
    shared = std::min(shared, static_cast<std::size_t>(differs - each.begin()));
  }
  // Never half a character.
  while (shared > 0 && shared < words.front().size() &&
         (static_cast<unsigned char>(words.front()[shared]) & 0xc0) == 0x80) {
    --shared;
  }
  return shared;
}

}  // namespace

Completion complete(std::string_view line, const ChildrenOf& children_of) {
  const auto unfinished = read_unfinished(line);
  auto choices = choices_at(unfinished, children_of);
  const auto begun = unfinished.word.substr(unfinished.word.size() - std::min(choices.begun, unfinished.word.size()));
  std::erase_if(choices.words, [&](const std::string& each) { return !each.starts_with(begun); });
  if (choices.words.empty()) return {};
  const auto shared = shared_beginning(choices.words);
  Completion completion;
  if (shared > begun.size()) {
    completion.typed = as_typed(choices.words.front().substr(begun.size(), shared - begun.size()), unfinished.quote);
  }
  if (choices.words.size() == 1) {
    if (choices.ends == " " && unfinished.quote != '\0') completion.typed += unfinished.quote;
    completion.typed += choices.ends;
  } else if (completion.typed.empty()) {
    std::sort(choices.words.begin(), choices.words.end());
    completion.choices = std::move(choices.words);
  }
  return completion;
}

}  // namespace holdfast::cli::shell
