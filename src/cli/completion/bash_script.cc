#include <fmt/format.h>

#include "cli/completion/scripts.h"

namespace holdfast::cli::completion {
namespace {

// What the script asks its tables for.
std::string kind_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::none: return "";
    case Value::Kind::any: return "any";
    case Value::Kind::file: return "file";
    case Value::Kind::directory: return "directory";
    case Value::Kind::lock: return "lock";
    case Value::Kind::words: return fmt::format("words {}", fmt::join(value.words, " "));
  }
  return "";
}

constexpr std::string_view kRest = R"bash(
_holdfast() {
  local words word cur lead='' command='' kind='' i
  COMPREPLY=()
  # Not COMP_WORDS: bash takes zk://host:port apart.
  read -ra words <<< "${COMP_LINE:0:COMP_POINT}"
  [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=('')
  cur=${words[-1]}
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    word=${words[i]}
    if [[ $kind ]]; then
      kind=
    elif [[ $word == -- ]]; then
      [[ $command == run ]] && _holdfast_behind_dashes "$cur" $((${#words[@]} - 2 - i))
      return
    elif [[ $word == -* ]]; then
      kind=$(_holdfast_option "$command $word")
    elif [[ " $(_holdfast_commands "$command") " == *" $word "* ]]; then
      command=${command:+$command }$word
    fi
  done
  if [[ ! $kind && $cur == --*=* ]]; then
    kind=$(_holdfast_option "$command ${cur%%=*}")
    cur=${cur#*=}
  elif [[ ! $kind && $cur == -* ]]; then
    kind="words $(_holdfast_options "$command")"
  elif [[ ! $kind ]]; then
    kind=$(_holdfast_commands "$command")
    kind=${kind:+words $kind}
    kind=${kind:-$(_holdfast_argument "$command")}
  fi
  case $kind in
    file) compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    directory) compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    lock) mapfile -t COMPREPLY < <("${words[0]}" complete-names --line "$COMP_LINE" -- "$cur" 2> /dev/null) ;;
    words*) mapfile -t COMPREPLY < <(compgen -W "${kind#words}" -- "$cur") ;;
  esac
  # What bash thinks has been typed of this word begins behind the last : or =.
  if [[ $cur == *[:=]* ]]; then
    lead=${cur%"${cur##*[:=]}"}
    COMPREPLY=("${COMPREPLY[@]#"$lead"}")
  fi
}

# $1 is completed, $2 words of the command are before it.
_holdfast_behind_dashes() {
  local i
  if (($2 > 0)) && declare -F _command_offset > /dev/null; then
    for ((i = 1; i < COMP_CWORD; i++)); do
      if [[ ${COMP_WORDS[i]} == -- ]]; then
        _command_offset $((i + 1))
        return
      fi
    done
  fi
  compopt -o filenames 2> /dev/null
  if (($2 > 0)); then
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
  else
    mapfile -t COMPREPLY < <(compgen -c -- "$1" | sort -u)
  fi
}

complete -F _holdfast holdfast
)bash";

}  // namespace

std::string bash_script(const Command& holdfast) {
  std::string commands;
  std::string options;
  std::string option;
  std::string argument;
  walk(holdfast, [&](const std::string& path, const Command& command) {
    std::vector<std::string> names;
    for (const auto& below : command.commands) names.push_back(below.name);
    if (!names.empty()) commands += fmt::format("    '{}') echo '{}' ;;\n", path, fmt::join(names, " "));
    names.clear();
    for (const auto& each : command.options) {
      for (const auto& name : each.names) {
        names.push_back(name);
        const auto kind = kind_of(each.value);
        if (!kind.empty()) option += fmt::format("    '{} {}') echo '{}' ;;\n", path, name, kind);
      }
    }
    options += fmt::format("    '{}') echo '{}' ;;\n", path, fmt::join(names, " "));
    if (!command.arguments.empty()) {
      argument += fmt::format("    '{}') echo '{}' ;;\n", path, kind_of(command.arguments.front().value));
    }
  });
  const auto table = [](const char* name, const std::string& rows) {
    return fmt::format("{}() {{\n  case $1 in\n{}  esac\n}}\n", name, rows);
  };
  return "# Completion of holdfast for bash; made by `holdfast completion bash`.\n" +
         table("_holdfast_commands", commands) + table("_holdfast_options", options) +
         table("_holdfast_option", option) + table("_holdfast_argument", argument) + std::string(kRest);
}

std::string word_list(const Command& holdfast) {
  std::string list;
  walk(holdfast, [&](const std::string& path, const Command& command) {
    list += path + "\n";
    for (const auto& option : command.options) {
      for (const auto& name : option.names) list += fmt::format("{}\t{}\n", path, name);
    }
  });
  return list;
}

}  // namespace holdfast::cli::completion
