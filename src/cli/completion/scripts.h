// scripts.h -- a command tree as completion scripts of shells.
//
// All complete commands, options, files and directories; names of locks by asking `holdfast complete-names`; and behind
// `holdfast run ... --` whatever the shell knows of the command there.
#pragma once

#include <string>

#include "cli/completion/command_tree.h"

namespace holdfast::cli::completion {

std::string bash_script(const Command& holdfast);
std::string zsh_script(const Command& holdfast);
std::string fish_script(const Command& holdfast);

// Every command and option, one per line: "run", "run\t--wait".
std::string word_list(const Command& holdfast);

}  // namespace holdfast::cli::completion
