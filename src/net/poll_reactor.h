// poll_reactor.h -- the Reactor of a program with one thread: everything runs while that thread waits in it.
#pragma once

#include <poll.h>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/event_descriptor.h"
#include "net/reactor.h"

namespace holdfast::net {

// Thread safety: post() from any thread; everything else, and what runs, in the one thread that waits.
class PollReactor final : public Reactor {
 public:
  // Throws std::system_error.
  PollReactor() = default;

  Clock::time_point now() const noexcept override { return Clock::now(); }
  void post(Function f) override;
  TimerId at(Clock::time_point when, Function f) override;
  void cancel(TimerId timer) override;
  std::unique_ptr<Readiness> watch(int fd, Function ready) override;

  // Runs what is due. If nothing is, waits until something is due, one of `also` is ready, or the time `until` has come. `revents` says
  // which of `also` are ready.
  void wait(std::span<pollfd> also, Clock::time_point until);

 private:
  struct Watched {
    int fd = -1;
    Function ready;
    bool wants_room = false;
  };
  class Watch;

  bool run_due();

  const base::EventDescriptor wake_;  // readable: something was posted
  std::mutex posting_;
  std::vector<Function> posted_;
  std::map<std::pair<Clock::time_point, TimerId>, Function> timers_;
  TimerId last_timer_ = kNoTimer;
  std::list<std::shared_ptr<Watched>> watched_;
};

}  // namespace holdfast::net
