// ticks.h -- what run_ticker has left as proof of when it was alive.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "holdfast/clock.h"

namespace holdfast::testing {

// When each of the ticker's processes was last alive; 0: not yet.
inline std::array<Clock::time_point, 3> last_ticks(const std::filesystem::path& file) {
  std::array<std::int64_t, 3> times{};
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(times.data()), sizeof times);
  std::array<Clock::time_point, 3> points{};
  for (std::size_t i = 0; i < times.size(); ++i) points[i] = Clock::time_point(std::chrono::nanoseconds(times[i]));
  return points;
}

inline bool all_tick(const std::filesystem::path& file) {
  const auto ticks = last_ticks(file);
  return std::none_of(ticks.begin(), ticks.end(), [](auto tick) { return tick == Clock::time_point{}; });
}

// Of its processes; 0 of one that has not begun.
inline std::array<pid_t, 3> ticker_pids(const std::filesystem::path& file) {
  std::array<std::int64_t, 6> numbers{};
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(numbers.data()), sizeof numbers);
  return {static_cast<pid_t>(numbers[3]), static_cast<pid_t>(numbers[4]), static_cast<pid_t>(numbers[5])};
}

}  // namespace holdfast::testing
