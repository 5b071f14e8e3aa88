// run.h -- `holdfast run`: any command, under a lock.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace holdfast::cli {

// `command` is what take_command() (run/run_options.h) took off the command line.
void add_run(CLI::App& app, int& exit_code, std::vector<std::string> command);

}  // namespace holdfast::cli
