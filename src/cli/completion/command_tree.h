// command_tree.h -- the command line as data: commands, options, and what stands after them. Read from the parser itself, so
// that what is made of it (completions, the check of the manual page) cannot be out of date.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli::completion {

struct Value {
  //   none        a flag
  //   any         something that cannot be guessed: a time, a text
  //   file, directory
  //   lock        the name of a lock
  //   words       one of those
  enum class Kind { none, any, file, directory, lock, words } kind = Kind::none;
  std::string shown{};  // "FILE"
  std::vector<std::string> words{};
};

struct Option {
  std::vector<std::string> names;  // "-w", "--wait"
  std::string help;
  Value value;
  bool repeatable = false;
};

struct Argument {
  Value value;
  bool repeatable = false;
};

struct Command {
  std::string name;
  std::string help;
  std::vector<Option> options;
  std::vector<Argument> arguments;
  std::vector<Command> commands;
};

// Without what is not for people (empty group). Options of the storage service, which most commands have and which may stand
// before the command, are also options of the first.
Command read_tree(const CLI::App& app);

// Calls `visit` for the command and all below it; `path` is "" for the first, "local" and "local status" for others.
void walk(const Command& command, const std::function<void(const std::string& path, const Command& command)>& visit);

}  // namespace holdfast::cli::completion
