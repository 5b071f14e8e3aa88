// local.h -- `holdfast local status|stop`: the engine behind local:. docs/command.md is its manual.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_local(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
