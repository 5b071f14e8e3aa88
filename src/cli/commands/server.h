// server.h -- `holdfast server`: the engine as a service of its own. docs/server.md is its manual.
//
//                SIGTERM, SIGINT                          SIGHUP
//   starting     ends at once, 128 + signal               a line
//   serving      -> stopping                              a line
//   stopping     ends at once, 128 + signal               a line
//   stopped      exit 0
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_server(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
