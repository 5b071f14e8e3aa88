// shell.h -- `holdfast shell`: an interactive client of any server that speaks ZooKeeper's protocol. docs/command.md
// is its manual.
//
//   standard input     lines come from     a failure
//   a terminal         a line editor       is told, and the next line is read
//   anything else      it                  ends it, unless --keep-going
//   -                  the command line: one command
#pragma once

#include <CLI/App.hpp>

#include "cli/config/service.h"
#include "cli/shell/session.h"

namespace holdfast::cli {

// How a session of the shell's kind reaches that service. Starts the engine of local: if it does not run. Throws Error.
shell::SessionOptions session_options(const ServiceSettings& settings);

void add_shell(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
