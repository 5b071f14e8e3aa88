// race.h -- what one of many concurrent writers does, and what it must see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store.h"

namespace holdfast::testing {

// What a test writes with a token: the same for the same token, and a part of it is not the whole.
std::string text_for(Token token, std::size_t size = 100);

struct RaceResult {
  std::size_t admitted = 0;
  std::size_t refused = 0;
  Token largest = 0;                 // that was tried
  std::optional<std::string> wrong;  // the first thing seen that must not be

  // "<admitted> <refused> <largest>" or "wrong <text>".
  std::string to_line() const;
  static RaceResult parse(const std::string& line);
};

// `count` writes with random tokens around a place that moves on, across 2^63: neither doubles nor signed integers are
// exact there.
RaceResult race(Store& store, std::uint32_t seed, std::size_t count);

}  // namespace holdfast::testing
