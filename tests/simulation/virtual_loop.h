// virtual_loop.h -- the Loop of the simulated engine, on the timeline: what is posted and what is slow takes virtual time, and no thread.
//
// While its process stands still nothing runs; then all that has become due does, in order.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "server/alive.h"
#include "server/loop.h"
#include "timeline.h"

namespace holdfast::simulation {

// Does what it is given when its turn comes, or when it is waited for.
class VirtualBackground final : public server::Background {
 public:
  VirtualBackground(Timeline& timeline, Chance& chance) : timeline_(timeline), chance_(chance) {}

  void run(std::function<void()> work) override {
    waiting_.push_back(std::move(work));
    timeline_.after(chance_.between(std::chrono::microseconds(100), std::chrono::milliseconds(20)),
                    alive_.guard([this] { next(); }));
  }
  void wait() override {
    while (!waiting_.empty()) next();
  }

 private:
  void next() {
    if (waiting_.empty()) return;
    const auto work = std::move(waiting_.front());
    waiting_.pop_front();
    work();
  }

  Timeline& timeline_;
  Chance& chance_;
  std::deque<std::function<void()>> waiting_;
  server::Alive alive_;
};

class VirtualLoop final : public server::Loop {
 public:
  VirtualLoop(Timeline& timeline, Chance& chance, Drift clock) : timeline_(timeline), chance_(chance), clock_(clock) {}

  engine::Moment now() const noexcept override { return clock_.shown_at(timeline_.now()); }
  std::chrono::microseconds wall_clock() const noexcept override {
    return std::chrono::duration_cast<std::chrono::microseconds>(kFirstDay + now());
  }
  std::chrono::microseconds growing_wall_clock() const noexcept override { return wall_clock(); }
  void post(Function f) override { keep(timeline_.now(), std::move(f)); }
  void at(engine::Moment when, Function f) override { keep(clock_.when_shown(when), std::move(f)); }
  // The disk has it now, and says so a little later.
  void step_out(const std::function<Rest()>& slow) override {
    const bool is_slow = timeline_.now() < slow_until_ || chance_.percent(2);
    const auto time =
        is_slow ? chance_.between(kSlowSync / 4, 4 * kSlowSync) : chance_.between(kFastSync, 20 * kFastSync);
    keep(timeline_.now() + time, slow());
  }
  void wait_for_slow() override {}
  std::unique_ptr<server::Background> background(const char*) override {
    return std::make_unique<VirtualBackground>(timeline_, chance_);
  }

  void pause_until(Moment when) { paused_until_ = std::max(paused_until_, when); }
  // Every sync takes long until then.
  void slow_disk_until(Moment when) { slow_until_ = std::max(slow_until_, when); }

 private:
  void keep(Moment when, Function f) {
    timeline_.at(when, alive_.guard([this, f = std::move(f)]() mutable {
      if (timeline_.now() < paused_until_) return keep(paused_until_, std::move(f));
      f();
    }));
  }

  static constexpr std::chrono::hours kFirstDay{24 * 20'000};
  static constexpr Moment kFastSync = std::chrono::microseconds(100);
  static constexpr Moment kSlowSync = std::chrono::milliseconds(300);

  Timeline& timeline_;
  Chance& chance_;
  const Drift clock_;
  Moment paused_until_{-1};
  Moment slow_until_{-1};
  server::Alive alive_;
};

}  // namespace holdfast::simulation
