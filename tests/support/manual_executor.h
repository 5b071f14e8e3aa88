// manual_executor.h -- an Executor whose clock stands still until the test moves it.
#pragma once

#include <utility>

#include "holdfast/spi/executor.h"
#include "support/manual_timeline.h"

namespace holdfast::testing {

class ManualExecutor final : public spi::Executor {
 public:
  Clock::time_point now() const noexcept override { return timeline_.now(); }
  void post(Function f) override { timeline_.post(std::move(f)); }
  TimerId at(Clock::time_point when, Function f) override { return timeline_.at(when, std::move(f)); }
  void cancel(TimerId timer) override { timeline_.cancel(timer); }

  // As a ManualTimeline.
  bool step(Clock::time_point end = Clock::time_point::max()) { return timeline_.step(end); }
  void run_for(Clock::duration time) { timeline_.run_for(time); }
  void sleep_for(Clock::duration time) { timeline_.sleep_for(time); }

 private:
  ManualTimeline<Clock::time_point, Function> timeline_;
};

}  // namespace holdfast::testing
