// loop.h -- the Reactor of a real client: one thread, one monitor, timers on CLOCK_BOOTTIME.
//
// Callers' threads enter the monitor themselves instead of handing their work to the loop's thread: an acquire saves a context
// switch, and a hand-over between two local threads does not need the loop's thread at all.
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

  // Runs `f` inside the monitor, on the caller's thread. Not from inside.
  template <class F>
  auto enter(F&& f) {
    const std::lock_guard inside(monitor_);
    return std::forward<F>(f)();
  }

  // Runs the functions that have been posted, but no more timers, and watches nothing any more. Nothing runs after it returns, and no
  // descriptor is left open. Not from inside. Idempotent.
  void stop();

 private:
  using Due = std::pair<Clock::time_point, TimerId>;

  struct Machinery;  // of Asio, whose headers are large, while this one is included everywhere
  struct Watched;
  class Watch;

  void run_posted();
  void wait_for_timer();
  void run_due_timers();
  void arm();
  void wait_for(const std::shared_ptr<Watched>& watched, bool writable);

  std::mutex monitor_;
  // None once stopped: an object that outlives the client must not keep its descriptors. It is destroyed inside, and only while no thread
  // posts, since posting is possible from outside too.
  std::unique_ptr<Machinery> machinery_;
  std::mutex posting_;
  // In the order of posting. Asio's own queue would not do: other threads' later posts overtake those of the loop's thread there.
  std::vector<Function> posted_;
  bool runs_posted_ = false;  // or is about to
  std::map<Due, Function> timers_;
  std::map<TimerId, Clock::time_point> due_;
  TimerId last_timer_ = kNoTimer;
  Clock::time_point armed_ = Clock::time_point::max();
  std::thread thread_;
};

}  // namespace holdfast::lock
