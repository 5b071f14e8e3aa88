// token_text.h -- a token as text that sorts as the number does.
#pragma once

#include <string>

#include "holdfast/fence.h"

namespace fencing {

// 2^64 - 1 has 20 digits. With that many, always, text compares as the number does: no database, script or file
// format has to know 64-bit unsigned integers, and none rounds them to a double.
inline constexpr std::size_t kTokenDigits = 20;

inline std::string token_text(holdfast::Token token) {
  const std::string digits = std::to_string(token);
  return std::string(kTokenDigits - digits.size(), '0') + digits;
}

}  // namespace fencing
