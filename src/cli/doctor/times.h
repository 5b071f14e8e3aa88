// times.h -- how long things took, in a few words.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "holdfast/clock.h"

namespace holdfast::cli::doctor {

inline std::string in_ms(Clock::duration duration) {
  return fmt::format("{:.2f} ms", std::chrono::duration<double, std::milli>(duration).count());
}

struct Spread {
  Clock::duration median{};
  Clock::duration worst{};
};

// Of one at least.
inline Spread spread_of(std::vector<Clock::duration> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.back()};
}

inline std::string to_string(const Spread& spread) {
  return fmt::format("median {}, worst {}", in_ms(spread.median), in_ms(spread.worst));
}

}  // namespace holdfast::cli::doctor
