// config.h -- `holdfast config`: which settings commands use and where each came from, what is wrong with a file, and its JSON schema.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_config(CLI::App& app);

}  // namespace holdfast::cli
