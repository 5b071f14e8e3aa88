// lock_text.h -- locks as lines for a person: the list of `ls`, the page of `show`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/describe.h"

namespace holdfast::cli {

// Titles, and one line per lock; no wider than `width`, if there is one.
std::vector<std::string> list_lines(const std::vector<LockInfo>& locks, Time now, std::optional<std::size_t> width);

// All that is known of one lock, which somebody wants.
std::vector<std::string> page_lines(const LockInfo& lock, Time now, std::optional<std::size_t> width);

}  // namespace holdfast::cli
