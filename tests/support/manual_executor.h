// manual_executor.h -- an Executor whose clock stands still until the test moves it.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "holdfast/spi/executor.h"

namespace holdfast::testing {

class ManualExecutor final : public spi::Executor {
 public:
  Clock::time_point now() const noexcept override { return now_; }
  void post(Function f) override { posted_.push_back(std::move(f)); }

  TimerId at(Clock::time_point when, Function f) override {
    timers_.emplace(std::pair(when, ++last_), std::move(f));
    return last_;
  }

  void cancel(TimerId timer) override {
    std::erase_if(timers_, [&](const auto& entry) { return entry.first.second == timer; });
  }

  // Runs one thing: what was posted first, else the timer that is due next, to which the clock then jumps. False if there
  // is nothing before `end`.
  bool step(Clock::time_point end = Clock::time_point::max()) {
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
  void run_for(Clock::duration time) {
    const auto end = now_ + time;
    while (step(end)) {
    }
    now_ = end;
  }

  // The process was stopped: time passes, nothing runs.
  void sleep_for(Clock::duration time) { now_ += time; }

 private:
  Clock::time_point now_{std::chrono::hours(1)};
  std::deque<Function> posted_;
  std::map<std::pair<Clock::time_point, TimerId>, Function> timers_;
  TimerId last_ = kNoTimer;
};

}  // namespace holdfast::testing
