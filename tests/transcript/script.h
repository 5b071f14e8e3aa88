// script.h -- a conversation with a client program, as a text.
//
//   # for the reader
//   > ls /t             a line for the program's stdin
//   < [a, b]            waits until a line with this in it came since the last line that was sent; several in any order
//
// What is to be waited for before the first line is sent is said at the start. Nothing else is allowed, and a script that
// waits for nothing neither: its transcript might be empty.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/process.h"

namespace holdfast::testing {

struct Step {
  std::string send{};  // nothing: only waits
  std::vector<std::string> expected{};
};

// Throws std::invalid_argument, with the line.
std::vector<Step> parse_script(std::string_view text);

struct Conversation {
  std::string transcript{};  // all that the program said, on stdout and stderr
  std::string missing{};     // what never came; it was the end of the conversation
  int status = -1;           // of the program, as shells have it; -1 if it did not end
};

// Runs the program, which must end by itself once the script, and with that its stdin, is at its end.
Conversation converse(ProcessOptions program, const std::vector<Step>& script);

}  // namespace holdfast::testing
