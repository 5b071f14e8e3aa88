// clock.h -- the clock that every deadline and every lease is measured on.
#pragma once

#include <chrono>
#include <ratio>
#include <type_traits>

#include "holdfast/language.h"

namespace holdfast {

// CLOCK_BOOTTIME: it is never set back, and goes on while the machine is suspended. std::steady_clock stands still then, and a laptop that
// wakes up would believe in a lease that the service ended hours ago. A clock for std::chrono, so time points of it are compared and
// subtracted as usual.
//
// Example:
//
//   using namespace std::chrono_literals;
//   if (lease.valid_until() - holdfast::Clock::now() < 5s) return;  // not enough time for the next step
//   mutex.try_lock_until(holdfast::Clock::now() + 2s);
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept;
};

namespace detail {

// A duration in nanoseconds. One that is too long or too short for them is the longest or shortest there is; NaN is zero.
template <class Rep, class Period>
constexpr Clock::duration saturated(const std::chrono::duration<Rep, Period>& time) {
  // 291 years. The count of nanoseconds ends eight months later, so no rounding below can pass it.
  constexpr long double kForEver = 9.2e9L;
  const auto seconds = std::chrono::duration_cast<std::chrono::duration<long double>>(time).count();
  if (seconds >= kForEver) return Clock::duration::max();
  if (seconds <= -kForEver) return Clock::duration::min();
  if (seconds != seconds) return Clock::duration::zero();
  using Nanoseconds = std::ratio_divide<Period, std::nano>;
  if constexpr (std::chrono::treat_as_floating_point_v<Rep> || (Nanoseconds::num != 1 && Nanoseconds::den != 1)) {
    return Clock::duration(static_cast<Clock::rep>(seconds * 1e9L));
  } else {
    return std::chrono::ceil<Clock::duration>(time);
  }
}

}  // namespace detail

// `when` + `by`, or the end of time if that is later than can be counted.
constexpr Clock::time_point later(Clock::time_point when, Clock::duration by) {
  if (by > Clock::duration::zero() && when > Clock::time_point::max() - by) return Clock::time_point::max();
  if (by < Clock::duration::zero() && when < Clock::time_point::min() - by) return Clock::time_point::min();
  return when + by;
}

// The moment `timeout` from now. Every duration has one: a duration that is too long to be counted (hours::max(), infinity) means "for
// ever", which is time_point::max(); zero, a negative one and NaN mean "do not wait", which is the epoch.
template <class Rep, class Period>
Clock::time_point deadline_after(const std::chrono::duration<Rep, Period>& timeout) {
  const auto wait = detail::saturated(timeout);
  return wait > Clock::duration::zero() ? later(Clock::now(), wait) : Clock::time_point();
}

// The same moment on this clock, as the two clocks stand now. A moment that has passed means "do not wait".
template <class OtherClock, class Duration>
Clock::time_point deadline_at(const std::chrono::time_point<OtherClock, Duration>& deadline) {
  const auto until = detail::saturated(deadline.time_since_epoch());
  if (until == Clock::duration::max()) return Clock::time_point::max();
  const auto now = detail::saturated(OtherClock::now().time_since_epoch());
  if (until <= now) return Clock::time_point();
  if constexpr (std::is_same_v<OtherClock, Clock>) return Clock::time_point(until);
  const bool too_far = now < Clock::duration::zero() && until > Clock::duration::max() + now;
  return too_far ? Clock::time_point::max() : deadline_after(until - now);
}

}  // namespace holdfast
