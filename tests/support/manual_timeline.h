// manual_timeline.h -- what is to be done now and later, by a clock that stands still until the test moves it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace holdfast::testing {

// `Time`: a point in time, or the duration since one.
template <class Time, class Function>
class ManualTimeline {
 public:
  using Id = std::uint64_t;

  Time now() const noexcept { return now_; }
  void post(Function f) { posted_.push_back(std::move(f)); }
  Id at(Time when, Function f) {
    timers_.emplace(std::pair(when, ++last_), std::move(f));
    return last_;
  }
  void cancel(Id timer) {
    std::erase_if(timers_, [&](const auto& entry) { return entry.first.second == timer; });
  }

  // Runs one thing: what was posted first, else the timer that is due next, to which the clock then jumps. False if there
  // is nothing before `end`.
  bool step(Time end = Time::max()) {
    Function f;
    if (!posted_.empty()) {
      f = std::move(posted_.front());
      posted_.pop_front();
    } else if (!timers_.empty() && timers_.begin()->first.first <= end) {
      auto node = timers_.extract(timers_.begin());
      now_ = std::max(now_, node.key().first);
      f = std::move(node.mapped());
    } else {
      return false;
    }
    f();
    return true;
  }

  // Runs everything that happens in that time.
  void run_for(std::chrono::nanoseconds time = {}) {
    const auto end = now_ + time;
    while (step(end)) {
    }
    now_ = std::max(now_, end);
  }

  // The process was stopped: time passes, nothing runs.
  void sleep_for(std::chrono::nanoseconds time) { now_ += time; }

 private:
  Time now_{std::chrono::hours(1)};
  std::deque<Function> posted_;
  std::map<std::pair<Time, Id>, Function> timers_;
  Id last_ = 0;
};

}  // namespace holdfast::testing
