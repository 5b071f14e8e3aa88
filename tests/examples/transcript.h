// transcript.h -- what an example program said.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/process.h"

namespace holdfast::testing {

// For a starved machine; nothing waits for it when all is well.
inline constexpr std::chrono::seconds kLineTimeout{60};

// The lines up to the one that is `last`, or to the end.
inline std::vector<std::string> lines_until(Process& program, std::string_view last) {
  std::vector<std::string> lines;
  while (const auto line = program.read_line(kLineTimeout)) {
    lines.push_back(*line);
    if (*line == last) break;
  }
  return lines;
}

// "X holds, token 17" -> "X holds"; the token goes to the end of `tokens`.
inline std::string without_token(const std::string& line, std::vector<unsigned long long>& tokens) {
  constexpr std::string_view kToken = ", token ";
  const auto at = line.find(kToken);
  if (at == std::string::npos) return line;
  tokens.push_back(std::stoull(line.substr(at + kToken.size())));
  return line.substr(0, at);
}

inline bool strictly_grow(const std::vector<unsigned long long>& tokens) {
  return std::adjacent_find(tokens.begin(), tokens.end(), std::greater_equal<>()) == tokens.end();
}

}  // namespace holdfast::testing
