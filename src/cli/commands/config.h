// config.h -- `holdfast config show`: which settings commands use, and where each came from.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_config(CLI::App& app);

}  // namespace holdfast::cli
