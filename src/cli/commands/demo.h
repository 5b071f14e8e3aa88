// demo.h -- `holdfast demo`: five processes, one lock, two faults, and a check that the lock held.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_demo(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
