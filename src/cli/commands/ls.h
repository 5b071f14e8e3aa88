// ls.h -- `holdfast ls [ROOT]`: every name that is held or waited for, one per line.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_ls(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
