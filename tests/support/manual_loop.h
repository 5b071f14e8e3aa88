// manual_loop.h -- a Loop of the service whose clock stands still until the test moves it.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "server/alive.h"
#include "server/loop.h"
#include "support/manual_timeline.h"

namespace holdfast::testing {

class ManualLoop final : public server::Loop {
 public:
  engine::Moment now() const noexcept override { return timeline_.now(); }
  std::chrono::microseconds wall_clock() const noexcept override {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::hours(24 * 20'000) + now());
  }
  std::chrono::microseconds growing_wall_clock() const noexcept override { return wall_clock(); }
  void post(Function f) override { timeline_.post(std::move(f)); }
  void at(engine::Moment when, Function f) override { timeline_.at(when, std::move(f)); }
  // What is slow is done at once; its rest comes in its turn, see hold_slow().
  void step_out(const std::function<Rest()>& slow) override {
    rest_ = slow();
    if (!slow_held_) hold_slow(false);
  }
  void wait_for_slow() override {}
  std::unique_ptr<server::Background> background(const char*) override { return std::make_unique<Aside>(*this); }

  // As a ManualTimeline.
  bool step() { return timeline_.step(); }
  void run_for(engine::Moment time = engine::Moment{0}) { timeline_.run_for(time); }
  void sleep_for(engine::Moment time) { timeline_.sleep_for(time); }
  // The rest of what is slow waits until this is false.
  void hold_slow(bool held) {
    slow_held_ = held;
    if (!held && rest_) post(std::exchange(rest_, nullptr));
  }
  // What a background was given waits until this is false.
  void hold_background(bool held) { background_held_ = held; }

 private:
  // Its work is posted to the loop.
  class Aside final : public server::Background {
   public:
    explicit Aside(ManualLoop& loop) : loop_(loop) {}
    void run(std::function<void()> work) override {
      waiting_.push_back(std::move(work));
      later();
    }
    void wait() override {
      while (!waiting_.empty()) next();
    }

   private:
    void later() {
      loop_.at(loop_.now() + std::chrono::milliseconds(1),
               alive_.guard([this] { loop_.background_held_ ? later() : next(); }));
    }
    void next() {
      if (waiting_.empty()) return;
      const auto work = std::move(waiting_.front());
      waiting_.pop_front();
      work();
    }
    ManualLoop& loop_;
    std::deque<std::function<void()>> waiting_;
    server::Alive alive_;
  };

  ManualTimeline<engine::Moment, Function> timeline_;
  Rest rest_;  // of what is slow, while it is held
  bool slow_held_ = false;
  bool background_held_ = false;
};

}  // namespace holdfast::testing
