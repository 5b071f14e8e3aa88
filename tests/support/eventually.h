// eventually.h -- waiting in tests without guessing how long.
#pragma once

#include <chrono>
#include <thread>

namespace holdfast::testing {

// How often eventually() looks. Short against every timeout a test uses, long enough not to steal a core.
inline constexpr std::chrono::milliseconds kLookAgainAfter{5};

// True as soon as `predicate()` is true; false once `within` has passed and it still is not. The predicate
// is always asked at least once, and once more after the time is up, so that a slow machine which was not
// scheduled in between does not turn a truth into a failure.
template <typename Predicate>
[[nodiscard]] bool eventually(std::chrono::milliseconds within, Predicate predicate) {
  const auto deadline = std::chrono::steady_clock::now() + within;
  while (std::chrono::steady_clock::now() < deadline) {
    if (predicate()) return true;
    std::this_thread::sleep_for(kLookAgainAfter);
  }
  return static_cast<bool>(predicate());
}

}  // namespace holdfast::testing
