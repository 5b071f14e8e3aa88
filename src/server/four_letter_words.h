// four_letter_words.h -- ZooKeeper's plain-text questions and the answers to them.
//
// Sent instead of a first frame, and so told apart by their four bytes. Answers have the format of ZooKeeper 3.8, because
// client libraries and monitoring read them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/report.h"

namespace holdfast::server {

// "3.8.0-holdfast-0.1.0, built on ...": the protocol that is spoken, then who speaks it.
std::string full_version();

// These four bytes are a question, answered or not, and not the length of a frame.
bool is_word(std::string_view bytes);

class FourLetterWords {
 public:
  // Which are answered; "*" is all of them. srvr always is, as in ZooKeeper.
  explicit FourLetterWords(std::vector<std::string> whitelist);

  bool enabled(std::string_view word) const;

 private:
  std::vector<std::string> whitelist_;
};

// The answer to a word that is not enabled.
std::string refusal_of_word(std::string_view word);

// The answer to an enabled word. srst and crst only say that it was done: the maker of the report does it.
std::string answer_word(std::string_view word, const Report& report);

}  // namespace holdfast::server
