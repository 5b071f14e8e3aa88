#include <fmt/format.h>

#include <set>

#include "cli/completion/scripts.h"

namespace holdfast::cli::completion {
namespace {

std::string escaped(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "'";
}

std::string behind(const Value& value) {
  switch (value.kind) {
    case Value::Kind::none: return "";
    case Value::Kind::any: return " -x";
    case Value::Kind::file: return " -r -F";
    case Value::Kind::directory: return " -x -a '(__fish_complete_directories)'";
    case Value::Kind::lock: return " -x -a '(__holdfast_names)'";
    case Value::Kind::words: return " -x -a " + escaped(fmt::format("{}", fmt::join(value.words, " ")));
  }
  return "";
}

std::string names_of(const Option& option) {
  std::string names;
  for (const auto& name : option.names) {
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return names;
}

constexpr std::string_view kFunctions = R"fish(
# The words of the command line that are neither options nor their values, without what is behind --.
function __holdfast_path
    set -l path
    set -l value
    for word in (commandline -opc)[2..]
        test "$word" = --; and break
        if set -q value[1]
            set value
        else if contains -- $word $__holdfast_with_value
            set value follows
        else
            string match -q -- '-*' $word; or set -a path $word
        end
    end
    string join ' ' -- $path
end
function __holdfast_in -a path
    set -l words (__holdfast_path)
    __holdfast_behind_dashes; and return 1
    test "$words" = "$path"; or string match -q -- "$path *" "$words"
end
function __holdfast_at -a path
    __holdfast_behind_dashes; and return 1
    set -l words (__holdfast_path)
    test "$words" = "$path"
end
function __holdfast_behind_dashes
    contains -- -- (commandline -opc)
end
function __holdfast_names
    set -l holdfast (commandline -opc)[1]
    $holdfast complete-names --line (commandline -cp | string collect) -- (commandline -ct) 2>/dev/null
end
# What fish knows of the command behind --.
function __holdfast_command
    set -l words (commandline -opc)
    set -l dashes (contains -i -- -- $words)
    complete -C (string join ' ' -- (string escape -- $words[(math $dashes + 1)..]) (commandline -ct))
end
complete -c holdfast -f
complete -c holdfast -n '__holdfast_behind_dashes; and string match -q "run*" (__holdfast_path)' -a '(__holdfast_command)'
)fish";

}  // namespace

std::string fish_script(const Command& holdfast) {
  auto script = "# Completion of holdfast for fish; made by `holdfast completion fish`." + std::string(kFunctions);
  std::set<std::string> with_value;
  walk(holdfast, [&](const std::string&, const Command& command) {
    for (const auto& option : command.options) {
      if (option.value.kind != Value::Kind::none) with_value.insert(option.names.begin(), option.names.end());
    }
  });
  script += fmt::format("set -g __holdfast_with_value {}\n", fmt::join(with_value, " "));
  walk(holdfast, [&](const std::string& path, const Command& command) {
    const auto in = escaped(path.empty() ? "__holdfast_at ''" : fmt::format("__holdfast_in \"{}\"", path));
    for (const auto& below : command.commands) {
      script += fmt::format("complete -c holdfast -n {} -a {} -d {}\n",
                            escaped(fmt::format("__holdfast_at \"{}\"", path)), below.name, escaped(below.help));
    }
    for (const auto& option : command.options) {
      script += fmt::format("complete -c holdfast -n {}{}{} -d {}\n", in, names_of(option), behind(option.value),
                            escaped(option.help));
    }
    if (!command.arguments.empty() && command.arguments.front().value.kind != Value::Kind::any) {
      script += fmt::format("complete -c holdfast -n {}{}\n", in, behind(command.arguments.front().value));
    }
  });
  return script;
}

}  // namespace holdfast::cli::completion
