// time_option.h -- an option that takes a length of time.
#pragma once

#include <CLI/Option.hpp>
#include <string>

#include "cli/config/setting_value.h"
#include "settings/duration.h"

namespace holdfast::cli {

// The one way to make an option that takes a time: what reaches the command has a unit, and a plain number is seconds. A text
// that is no time stays as it is; the command refuses it with a sentence of its own.
inline CLI::Option* as_time(CLI::Option* option) {
  return option->type_name("TIME")->transform([](std::string text) { return with_unit(text); });
}

}  // namespace holdfast::cli
