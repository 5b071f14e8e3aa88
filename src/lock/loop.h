// loop.h -- the Reactor of a real client: one thread, one monitor, timers on CLOCK_BOOTTIME.
//
// Callers' threads enter the monitor themselves instead of handing their work to the thread: an acquire saves a context
// switch on its way out, and a hand-over between two local threads needs the loop's thread not at all.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "net/reactor.h"

namespace holdfast::lock {

class Loop final : public net::Reactor {
 public:
  Loop();
  ~Loop() override;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Clock::time_point now() const noexcept override { return Clock::now(); }
  void post(Function f) override;
  TimerId at(Clock::time_point when, Function f) override;
  void cancel(TimerId timer) override;
  std::unique_ptr<Readiness> watch(int fd, Function ready) override;

  // Runs `f` inside, on the caller's thread. Not from inside.
  template <class F>
  auto enter(F&& f) {
    const std::lock_guard inside(monitor_);
    return std::forward<F>(f)();
  }

  // Runs what has been posted, but no more timers, and watches nothing any more; nothing runs after it returns, and no descriptor is left
  // open. Not from inside. Idempotent.
  void stop();

 private:
  using Due = std::pair<Clock::time_point, TimerId>;

  struct Machinery;  // Asio's: its headers are large, and this one is included everywhere
  struct Watched;
  class Watch;

  void run_posted();
  void wait_for_timer();
  void run_due_timers();
  void arm();
  void wait_for(const std::shared_ptr<Watched>& watched, bool writable);

  std::mutex monitor_;
  // None once stopped: who outlives the client must not keep its descriptors. Taken away inside, and only while nothing posts, which is
  // done from outside too.
  std::unique_ptr<Machinery> machinery_;
  std::mutex posting_;
  // In the order of posting. Not Asio's own queue: there, what the loop's thread posts is overtaken by what other threads post after it.
  std::vector<Function> posted_;
  bool runs_posted_ = false;  // or is about to
  std::map<Due, Function> timers_;
  std::map<TimerId, Clock::time_point> due_;
  TimerId last_timer_ = kNoTimer;
  Clock::time_point armed_ = Clock::time_point::max();
  std::thread thread_;
};

}  // namespace holdfast::lock
