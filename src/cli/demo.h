// demo.h -- `holdfast demo`: two processes, one lock, and a check that it held.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_demo(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
