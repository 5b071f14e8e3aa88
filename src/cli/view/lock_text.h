// lock_text.h -- a lock as lines for a person: the page of `show`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/view/describe.h"

namespace holdfast::cli {

// All that is known of one lock, which is held or waited for; no line is wider than `width`, if there is one.
std::vector<std::string> page_lines(const LockInfo& lock, Time now, std::optional<std::size_t> width);

}  // namespace holdfast::cli
