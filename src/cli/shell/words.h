// words.h -- a typed line as words, and back.
//
//   create /a 'two words'      blanks separate; '...' keeps everything as it is
//   create /a "say \"hi\""     "..." too, but for \" and \\.
//   create /a two\ words       outside of quotes \ makes the next character a plain one
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/config/setting_value.h"

namespace holdfast::cli::shell {

// Or what is missing: the other quote.
Parsed<std::vector<std::string>> split_words(std::string_view line);

// The beginning of a line, up to the cursor: what the word under it is so far.
struct UnfinishedLine {
  std::vector<std::string> before{};  // finished words
  std::string word{};                 // as it would be if the line ended here; empty behind a blank
  char quote = '\0';                  // the one it is in
};
UnfinishedLine read_unfinished(std::string_view line);

// How `text` is typed at the end of a word that is in `quote` (none: '\0').
std::string as_typed(std::string_view text, char quote);

}  // namespace holdfast::cli::shell
