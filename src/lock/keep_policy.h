// keep_policy.h -- whether the ticket of a name is worth keeping when the last thread of this client releases it.
//
// A name that this client wants again soon after its last release is: its next acquire then costs no request (kept tickets, docs/adr/0029). A
// name that was used once is not, and for a while no name is that a rival wanted as well, as its ticket would only be asked for back.
//
// One for each local queue. Time is an input. Everything here runs inside the Executor.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "holdfast/clock.h"

namespace holdfast::lock {

class KeepPolicy {
 public:
  // `home`: what a lock object of that name shares with the next one, and has to outlive both.
  explicit KeepPolicy(std::weak_ptr<void> home = {}) : home_(std::move(home)) {}

  // How long a ticket is kept unused; zero: not at all.
  Clock::duration keep() const { return keep_; }
  bool worthwhile(Clock::time_point now) const {
    return keep_ > Clock::duration::zero() && returns_ && now >= not_before_;
  }

  // A thread of this client asks for the name, and says how long its ticket is to be kept (HandOver::keep). `in_use`: by another thread, now.
  void wanted(Clock::time_point now, bool in_use, Clock::duration keep) {
    keep_ = keep;
    returns_ = in_use || (released_ && now - *released_ <= keep_);
  }
  void released(Clock::time_point now) { released_ = now; }
  // What is to be kept alive until home_needed_until(), and then let_home_go(), as the next lock object of that name may come only then. None if
  // it is kept alive already.
  std::shared_ptr<void> hold_home() {
    auto home = home_held_ ? nullptr : home_.lock();
    home_held_ = home_held_ || home;
    return home;
  }
  Clock::time_point home_needed_until() const {
    return std::max(released_.value_or(Clock::time_point()) + keep_, not_before_);
  }
  void let_home_go() { home_held_ = false; }
  // Another client wants the name.
  void rival_seen(Clock::time_point now) { not_before_ = now + kPause * keep_; }

 private:
  // In keep times. Clients that share a name then try to keep it once in that time, which costs one request and one hand-over.
  static constexpr int kPause = 10;

  Clock::duration keep_{};
  const std::weak_ptr<void> home_;
  bool home_held_ = false;
  std::optional<Clock::time_point> released_;
  bool returns_ = false;
  Clock::time_point not_before_{};
};

}  // namespace holdfast::lock
