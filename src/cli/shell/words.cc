#include "cli/shell/words.h"

#include <utility>

namespace holdfast::cli::shell {
namespace {

struct Scan {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

Scan scan(std::string_view line) {
  Scan state;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool more = i + 1 < line.size();
    if (state.quote == '\0' && is_blank(c)) {
      if (state.in_word) state.words.push_back(std::exchange(state.word, {}));
      state.in_word = false;
      continue;
    }
    state.in_word = true;
    if (state.quote != '\0' && c == state.quote) {
      state.quote = '\0';
    } else if (state.quote == '\0' && (c == '\'' || c == '"')) {
      state.quote = c;
    } else if (c == '\\' && state.quote == '\0') {
      if (more) state.word += line[++i];  // one at the end of the line is nothing
    } else if (c == '\\' && state.quote == '"' && more && (line[i + 1] == '"' || line[i + 1] == '\\')) {
      state.word += line[++i];
    } else {
      state.word += c;
    }
  }
  return state;
}

}  // namespace

Parsed<std::vector<std::string>> split_words(std::string_view line) {
  auto state = scan(line);
  if (state.quote != '\0')
    return tl::unexpected(std::string("A quote is not closed; put a ") + state.quote + " at the end");
  if (state.in_word) state.words.push_back(std::move(state.word));
  return std::move(state.words);
}

UnfinishedLine read_unfinished(std::string_view line) {
  auto state = scan(line);
  return {.before = std::move(state.words), .word = std::move(state.word), .quote = state.quote};
}

std::string as_typed(std::string_view text, char quote) {
  const std::string_view special = quote == '\0' ? " \t'\"\\" : quote == '"' ? "\"\\" : "";
  std::string typed;
  for (const char c : text) {
    if (quote == '\'' && c == '\'') {
      typed += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) typed += '\\';
    typed += c;
  }
  return typed;
}

}  // namespace holdfast::cli::shell
