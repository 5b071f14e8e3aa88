// leading_options.h -- options that stand before the command: `holdfast --url zk://host:2181 ls`.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace holdfast::cli {

// The words of a command line, without the program's name, with options that stand before the command moved after it, before a
// "--": what they mean there, they mean here. Nothing if there is no command. Those of `app` itself (--help, --version), and those that no command has, stay where
// they are for the parser to judge.
std::vector<std::string> options_after_command(const CLI::App& app, std::vector<std::string> words);

}  // namespace holdfast::cli
