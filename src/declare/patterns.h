// patterns.h -- patterns of names, as handlers are given them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/name_pattern.h"
#include "holdfast/error.h"

namespace holdfast::declare {

// Throws Error(invalid_argument).
inline base::NamePattern parse_pattern(std::string_view text) {
  auto parsed = base::NamePattern::parse(text);
  if (!parsed) throw Error(Errc::invalid_argument, parsed.error());
  return std::move(*parsed);
}

inline bool matches_any(const base::NamePattern& pattern, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (pattern.matches(name)) return true;
  }
  return false;
}

}  // namespace holdfast::declare
