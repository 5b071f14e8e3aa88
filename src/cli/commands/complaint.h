// complaint.h -- what is wrong with a command line, in one sentence with the next step.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace holdfast::cli {

// `app` has tried to parse it, and thrown `error`.
std::string complaint(const CLI::App& app, const CLI::ParseError& error);

}  // namespace holdfast::cli
