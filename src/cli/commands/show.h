// show.h -- `holdfast show NAME`: its holder, since when, and its waiters.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_show(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
