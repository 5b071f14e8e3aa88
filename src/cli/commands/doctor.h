// doctor.h -- `holdfast doctor`: can this machine lock, and if not, what to do?
#pragma once

#include <CLI/App.hpp>

namespace holdfast::cli {

void add_doctor(CLI::App& app, int& exit_code);

}  // namespace holdfast::cli
