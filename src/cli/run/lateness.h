// lateness.h -- how late a process gets its turn, from how late its timers came.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "holdfast/clock.h"

namespace holdfast::cli {

// Not less than was assumed, nor than was seen in the last minute; what is older is forgotten in the minute after that.
class Lateness {
 public:
  explicit Lateness(Clock::duration assumed) : assumed_(assumed) {}

  // A timer that was set for `due` came now.
  void came(Clock::time_point due, Clock::time_point now);
  // To be counted on: twice the worst that was seen, because the next one may be worse.
  Clock::duration expected() const;

 private:
  Clock::duration assumed_;
  Clock::time_point turned_{};              // when the second became the first
  std::array<Clock::duration, 2> worst_{};  // before that, and since
};

// Before anything was measured: of a process that runs at this niceness and may not raise it. `alone`: in a session of its own, on a kernel that
// shares the processor among sessions (scheduling.h), so that the niceness matters little.
Clock::duration assumed_lateness(int niceness, bool alone);

// What a run can keep that has to count on getting the processor so late, said before its command is started.
struct LateRun {
  Clock::duration lateness{};
  Clock::duration largest_margin{};  // what of that it can make good (deadlines.h)
  Clock::duration session_timeout{};
  std::optional<int> niceness{};  // of one that may not raise its priority
};
// How long the command may live on when another client has the lock, why, and what helps.
std::string what_it_can_keep(const LateRun& run);

}  // namespace holdfast::cli
