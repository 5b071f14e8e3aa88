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

}  // namespace holdfast::server
