// commands.h -- one table of all commands. What runs them, help and completion read it.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/arguments.h"
#include "cli/shell/history.h"
#include "cli/shell/nodes.h"
#include "cli/shell/session.h"
#include "cli/shell/trouble.h"

namespace holdfast::cli::shell {

// What commands work on.
struct Context {
  PolledSession& session;
  Nodes nodes{session};
  History& history;
  std::FILE* out = stdout;
  bool on_terminal = false;  // `out` is one
  bool quit = false;         // set by the command of that name

  void print(std::string_view text) const;
};

struct Command {
  std::string_view name;
  std::string_view options;  // as getopt(3) has them
  std::string_view usage;    // behind the name
  std::string_view help;     // one line, without a full stop
  std::size_t least = 0;     // words
  std::size_t most = 0;
  bool takes_path = false;  // as its first word
  Outcome<void> (*run)(Context& context, const Arguments& arguments) = nullptr;
};

// In the order of help.
const std::vector<Command>& all_commands();
const Command* find_command(std::string_view name);

// No words: nothing happens.
Outcome<void> run_command(Context& context, const std::vector<std::string>& words);

}  // namespace holdfast::cli::shell
