// virtual_executor.h -- the Executor of one simulated client, on the timeline, by the client's own clock.
//
// A client that is paused (its process is stopped) does nothing until it goes on; then it does all that has become due, in order.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "holdfast/spi/executor.h"
#include "timeline.h"

namespace holdfast::simulation {

class VirtualExecutor final : public spi::Executor {
 public:
  // `after`: runs after each thing that the client has done.
  VirtualExecutor(Timeline& timeline, Drift clock, std::function<void()> after)
      : timeline_(timeline), clock_(clock), after_(std::move(after)) {}
  ~VirtualExecutor() override { *there_ = false; }

  Clock::time_point now() const noexcept override { return Clock::time_point(clock_.shown_at(timeline_.now())); }
  void post(Function f) override { keep(timeline_.now(), std::move(f)); }
  TimerId at(Clock::time_point when, Function f) override {
    if (when == Clock::time_point::max()) return ++last_;  // never
    return keep(clock_.when_shown(when.time_since_epoch()), std::move(f));
  }
  void cancel(TimerId timer) override { waiting_.erase(timer); }

  void pause_until(Moment when) { paused_until_ = std::max(paused_until_, when); }
  bool is_paused() const { return timeline_.now() <= paused_until_; }

 private:
  TimerId keep(Moment when, Function f) {
    const auto id = ++last_;
    waiting_.emplace(id, std::move(f));
    schedule(when, id);
    return id;
  }
  void schedule(Moment when, TimerId id) {
    timeline_.at(when, [this, there = there_, id] {
      if (*there) run(id);
    });
  }
  void run(TimerId id) {
    if (timeline_.now() < paused_until_) return schedule(paused_until_, id);
    auto found = waiting_.extract(id);
    if (found.empty()) return;
    found.mapped()();
    after_();
  }

  Timeline& timeline_;
  const Drift clock_;
  const std::function<void()> after_;
  Moment paused_until_{-1};
  TimerId last_ = kNoTimer;
  std::map<TimerId, Function> waiting_;
  std::shared_ptr<bool> there_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::simulation
