// pace.h -- so many in a burst, then one in every `step` (the cell rate algorithm of ATM networks).
#pragma once

#include <algorithm>
#include <chrono>

namespace holdfast::server {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  constexpr Pace(Clock::duration step, int burst) : step_(step), room_(step * burst) {}

  // The next one may begin now.
  bool ready(Clock::time_point now) const { return due_ <= now + room_; }
  // When the next one may begin, if none is taken before.
  Clock::time_point next(Clock::time_point now) const { return std::max(now, due_ - room_); }
  // When the next one may begin; it is counted. Others that ask get later times.
  Clock::time_point take(Clock::time_point now) {
    const auto begin = std::max(now, due_ - room_);
    due_ = std::max(due_, now) + step_;
    return begin;
  }
  // One that was taken does not count after all.
  void give_back() { due_ -= step_; }
  // As if nothing had ever been taken.
  bool rested(Clock::time_point now) const { return due_ <= now; }

 private:
  Clock::duration step_;
  Clock::duration room_;
  Clock::time_point due_{};
};

}  // namespace holdfast::server
