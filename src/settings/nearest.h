// nearest.h -- what was probably meant.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::settings {

// The one of `names` that looks most like `wanted`; nothing if none does. tickTime, tick-time and tick_time are the same; of a.b, b alone
// counts, too.
std::optional<std::string_view> nearest(std::string_view wanted, const std::vector<std::string_view>& names);

}  // namespace holdfast::settings
