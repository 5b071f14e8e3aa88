// ls.h -- `holdfast ls [ROOT]`: every name that anybody wants, one per line.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_ls(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
