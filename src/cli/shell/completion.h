// completion.h -- what Tab adds to a line, or offers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli::shell {

struct Completion {
  std::string typed{};                 // to be put at the cursor
  std::vector<std::string> choices{};  // to be shown if there is nothing to put, sorted
};

// The names below a node; nothing if it cannot be asked.
using ChildrenOf = std::function<std::optional<std::vector<std::string>>(const std::string& path)>;

// `line` is what stands before the cursor. At most two questions.
Completion complete(std::string_view line, const ChildrenOf& children_of);

}  // namespace holdfast::cli::shell
