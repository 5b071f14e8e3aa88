// clock.h -- the clock that every deadline and every lease is measured on.
#pragma once

#include <chrono>

namespace holdfast {

// CLOCK_BOOTTIME: never set back, and it goes on while the machine is suspended. std::steady_clock stands still then,
// and a laptop that wakes up would believe in a lease that the service ended hours ago.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept;
};

// The moment `timeout` from now, without overflow: hours::max() means "for ever", which is time_point::max().
template <class Rep, class Period>
Clock::time_point deadline_after(const std::chrono::duration<Rep, Period>& timeout) {
  const auto now = Clock::now();
  if (timeout > std::chrono::duration_cast<std::chrono::duration<double>>(Clock::time_point::max() - now)) {
    return Clock::time_point::max();
  }
  return now + std::chrono::duration_cast<Clock::duration>(timeout);
}

}  // namespace holdfast
