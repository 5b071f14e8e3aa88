// server_settings.h -- a server whose settings a test writes, and the numbers that it tells of itself.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "cli/server_command.h"
#include "support/four_letter_word.h"

namespace holdfast::testing {

// A file of settings with which every four-letter word is answered.
inline std::string settings(const TempDir& dir, const std::string& text = {}) {
  const std::string file = dir / "server.yaml";
  std::ofstream(file) << "four_letter_words: '*'\n" << text;
  return file;
}

// Of `mntr`; -1 if it is not there.
inline std::int64_t value(const Server& server, const std::string& key) {
  std::string answer;
  EXPECT_TRUE(eventually(kPatience, [&] { return !(answer = ask_or_nothing(server.port(), "mntr")).empty(); }));
  const auto all = parse_mntr(answer);
  const auto found = all.find(key);
  return found == all.end() ? -1 : std::stoll(found->second);
}

}  // namespace holdfast::testing
