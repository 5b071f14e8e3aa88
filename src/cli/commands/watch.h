// watch.h -- `holdfast watch [NAME]`: what happens to the locks, while it happens.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_watch(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
