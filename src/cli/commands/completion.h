// completion.h -- `holdfast completion`: what shells need to complete this command; and what they ask while they do.
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

// Add it last: it describes what is there when it is asked.
void add_completion(CLI::App& app);

}  // namespace holdfast::cli
