// times.h -- how long things took, in a few words, and whether that is long.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "cli/doctor/findings.h"
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

// How many round trips to a server are timed.
inline constexpr int kPings = 20;
// Says what they took, and warns if a session of that timeout is in danger, or a lock is slow. Says nothing of none.
void report_latency(const std::vector<Clock::duration>& pings, std::chrono::milliseconds session_timeout,
                    Findings& findings);

}  // namespace holdfast::cli::doctor
