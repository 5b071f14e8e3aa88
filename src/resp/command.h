// command.h -- a command as a client of Redis sends it: its words, each with its length first.
#pragma once

#include <string>
#include <vector>

namespace holdfast::resp {

using Command = std::vector<std::string>;

std::string encode(const Command& command);

}  // namespace holdfast::resp
