// modes.h -- the three ways to use the shell. Each gives the exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/shell/session.h"

namespace holdfast::cli::shell {

int run_once(const SessionOptions& options, const std::vector<std::string>& words);

// Reads commands from standard input, one per line; # begins a comment. Ends with the first failure, or goes on and
// ends with its code.
int run_script(const SessionOptions& options, bool keep_going);

// Standard input and output are a terminal.
int run_interactive(const SessionOptions& options);

}  // namespace holdfast::cli::shell
