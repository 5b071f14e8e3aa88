// show.h -- `holdfast show NAME`: who holds it, since when, and who waits.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_show(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
