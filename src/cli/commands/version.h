// version.h -- `holdfast version`: what this is, and what it was built from.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_version(CLI::App& app);

}  // namespace holdfast::cli
