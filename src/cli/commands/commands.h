// commands.h -- all commands of `holdfast`, as one parser.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace holdfast::cli {

// Every command. `command` is what
// `holdfast run` runs; `exit_code` is set by the command that was parsed. Both must outlive the parsing.
void add_commands(CLI::App& app, int& exit_code, std::vector<std::string> command);

}  // namespace holdfast::cli
