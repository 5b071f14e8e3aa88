// manual_loop.h -- a Loop of the service whose clock stands still until the test moves it.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "server/alive.h"
#include "server/loop.h"

namespace holdfast::testing {

class ManualLoop final : public server::Loop {
 public:
  engine::Moment now() const noexcept override { return now_; }
  std::chrono::microseconds wall_clock() const noexcept override {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::hours(24 * 20'000) + now_);
  }
  std::chrono::microseconds growing_wall_clock() const noexcept override { return wall_clock(); }
  void post(Function f) override { posted_.push_back(std::move(f)); }
  void at(engine::Moment when, Function f) override { timers_.emplace(std::pair(when, ++last_), std::move(f)); }
  // What is slow is done at once; its rest comes in its turn.
  void step_out(const std::function<Rest()>& slow) override { post(slow()); }
  void wait_for_slow() override {}
  std::unique_ptr<server::Background> background(const char*) override { return std::make_unique<Aside>(*this); }

  // Runs everything that happens in that time.
  void run_for(engine::Moment time = engine::Moment{0}) {
    const auto end = now_ + time;
    while (step(end)) {
    }
    now_ = std::max(now_, end);
  }
  // The process was stopped: time passes, nothing runs.
  void sleep_for(engine::Moment time) { now_ += time; }
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

  bool step(engine::Moment end) {
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

  engine::Moment now_{std::chrono::hours(1)};
  std::deque<Function> posted_;
  std::map<std::pair<engine::Moment, std::uint64_t>, Function> timers_;
  std::uint64_t last_ = 0;
  bool background_held_ = false;
};

}  // namespace holdfast::testing
