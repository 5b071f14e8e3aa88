// help.h -- what --help prints: how it is called, examples, then the options; on one screen of 80 by 24.
//
//   --help        a command's own options; of other groups (the storage service's, what is seldom needed) their names alone. What else
//                 there is to say, if there is room for it
//   --help-all    everything
//
// A footer of a command (CLI::App::footer) has lines below "Examples:", up to a blank one; they come first. The rest of it comes last.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace holdfast::cli {

// Options that are seldom needed.
inline constexpr auto kMoreGroup = "More options";

class HelpFormatter final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace holdfast::cli
