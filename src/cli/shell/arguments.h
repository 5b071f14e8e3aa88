// arguments.h -- the options and words of one command.
//
// Options may stand anywhere, together (-se) or apart, until "--". Behind the first word, what looks like an option
// but is none of this command is a word: `set /a -1`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config/setting_value.h"

namespace holdfast::cli::shell {

class Arguments {
 public:
  bool has(char option) const { return options_.contains(option); }
  // Of an option that takes one.
  std::optional<std::string> value(char option) const;

  const std::vector<std::string>& words() const { return words_; }
  const std::string& word(std::size_t i) const { return words_.at(i); }
  std::optional<std::string> word_if(std::size_t i) const;

 private:
  friend Parsed<Arguments> parse_arguments(const std::vector<std::string>& texts, std::string_view options);

  std::map<char, std::string> options_;
  std::vector<std::string> words_;
};

// `options` are letters as getopt(3) has them: "se" and "t:", which takes a value. Of one that is given twice the
// last counts. Or what is wrong, without the usage.
Parsed<Arguments> parse_arguments(const std::vector<std::string>& texts, std::string_view options);

}  // namespace holdfast::cli::shell
