// pace.h -- so many in a burst, then one in every `step` (the cell rate algorithm of ATM networks).
#pragma once

#include <algorithm>

#include "engine/moment.h"

namespace holdfast::server {

class Pace {
 public:
  using Moment = engine::Moment;

  constexpr Pace(Moment step, int burst) : step_(step), room_(step * burst) {}

  // The next one may begin now.
  bool ready(Moment now) const { return due_ <= now + room_; }
  // When the next one may begin, if none is taken before.
  Moment next(Moment now) const { return std::max(now, due_ - room_); }
  // When the next one may begin; it is counted. Others that ask get later times.
  Moment take(Moment now) {
    const auto begin = std::max(now, due_ - room_);
    due_ = std::max(due_, now) + step_;
    return begin;
  }
  // One that was taken does not count after all.
  void give_back() { due_ -= step_; }
  // As if nothing had ever been taken.
  bool rested(Moment now) const { return due_ <= now; }

 private:
  Moment step_;
  Moment room_;
  Moment due_{};
};

}  // namespace holdfast::server
