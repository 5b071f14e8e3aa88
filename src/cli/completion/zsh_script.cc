#include <fmt/format.h>

#include <algorithm>

#include "cli/completion/scripts.h"

namespace holdfast::cli::completion {
namespace {

// For the inside of '...' in a specification of _arguments, where brackets, colons and backslashes mean something.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += R"('\'')";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string action(const Value& value) {
  switch (value.kind) {
    case Value::Kind::none: return "";
    case Value::Kind::any: return " ";
    case Value::Kind::file: return "_files";
    case Value::Kind::directory: return "_files -/";
    case Value::Kind::lock: return "_holdfast_names";
    case Value::Kind::words: return fmt::format("({})", escaped(fmt::format("{}", fmt::join(value.words, " "))));
  }
  return "";
}

std::string function_of(const std::string& path) {
  auto name = path.empty() ? std::string("_holdfast_command") : "_holdfast_command_" + path;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

std::string specification(const Option& option) {
  const auto tail = option.value.kind == Value::Kind::none
                        ? std::string()
                        : fmt::format(":{}:{}", escaped(option.value.shown), action(option.value));
  const auto exclusion = option.repeatable ? std::string("*") : fmt::format("({})", fmt::join(option.names, " "));
  std::string lines;
  for (const auto& name : option.names) {
    // "--wait=5" is as good as "--wait 5".
    const auto* equals = name.starts_with("--") && !tail.empty() ? "=" : "";
    lines += fmt::format(" \\\n    '{}{}{}[{}]{}'", exclusion, name, equals, escaped(option.help), tail);
  }
  return lines;
}

std::string group_function(const std::string& path, const Command& command, const std::string& options) {
  std::string described;
  std::string cases;
  for (const auto& below : command.commands) {
    described += fmt::format("        '{}:{}'\n", below.name, escaped(below.help));
    cases += fmt::format("        {}) {} ;;\n", below.name,
                         function_of(path.empty() ? below.name : path + " " + below.name));
  }
  return fmt::format(
      "{}() {{\n  local curcontext=$curcontext state line\n  typeset -A opt_args\n  _arguments -C{} \\\n"
      "    '1:command:->command' \\\n    '*::argument:->argument'\n  case $state in\n    command)\n"
      "      local -a commands=(\n{}      )\n      _describe command commands ;;\n    argument)\n      case $words[1] "
      "in\n{}"
      "      esac ;;\n  esac\n}}\n",
      function_of(path), options, described, cases);
}

std::string leaf_function(const std::string& path, const Command& command, const std::string& options) {
  std::string arguments;
  for (const auto& argument : command.arguments) {
    arguments += fmt::format(" \\\n    '{}:{}:{}'", argument.repeatable ? "*" : "", escaped(argument.value.shown),
                             action(argument.value));
  }
  // Behind -- is another command, which zsh knows by itself.
  constexpr std::string_view kBehindDashes =
      "  local -i dashes=${words[(i)--]}\n  if ((dashes < CURRENT)); then\n    shift dashes words\n"
      "    ((CURRENT -= dashes))\n    _normal\n    return\n  fi\n";
  return fmt::format("{}() {{\n{}  _arguments -s -S{}{}\n}}\n", function_of(path), path == "run" ? kBehindDashes : "",
                     options, arguments);
}

}  // namespace

std::string zsh_script(const Command& holdfast) {
  std::string script =
      "#compdef holdfast\n# Completion of holdfast for zsh; made by `holdfast completion zsh`.\n"
      "_holdfast_names() {\n"
      "  local -a names=(${(f)\"$($holdfast complete-names --line \"$BUFFER\" -- \"$PREFIX\" 2> /dev/null)\"})\n"
      "  compadd -a names\n}\n";
  walk(holdfast, [&](const std::string& path, const Command& command) {
    std::string options;
    for (const auto& option : command.options) options += specification(option);
    script += command.commands.empty() ? leaf_function(path, command, options) : group_function(path, command, options);
  });
  return script +
         "_holdfast() {\n  local holdfast=$words[1]\n  _holdfast_command\n}\n"
         "# Autoloaded from $fpath, this file is the function; sourced, it only defines it.\n"
         "if [[ $funcstack[1] == _holdfast ]]; then\n  _holdfast \"$@\"\nelse\n  compdef _holdfast holdfast\nfi\n";
}

}  // namespace holdfast::cli::completion
