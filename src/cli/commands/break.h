// break.h -- `holdfast break NAME`: asks who holds a lock to give it back, and with --force takes it.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_break(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
