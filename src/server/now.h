// now.h -- where time enters the service.
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/sessions.h"

namespace holdfast::server {

inline engine::Moment monotonic_time() { return std::chrono::steady_clock::now().time_since_epoch(); }

// Milliseconds since the epoch, as nodes carry it.
inline std::int64_t wall_time() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The wall clock as it was when this process first asked, and carried on by the monotonic one: steps of the wall clock do not
// reach it, so that it only grows within one process. Since the epoch.
inline std::chrono::microseconds growing_wall_time() {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  static const auto begin = duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch()) -
                            duration_cast<microseconds>(monotonic_time());
  return begin + duration_cast<microseconds>(monotonic_time());
}

}  // namespace holdfast::server
