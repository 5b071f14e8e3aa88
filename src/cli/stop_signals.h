// stop_signals.h -- SIGTERM, SIGINT and SIGHUP as values for the main thread, not as interruptions.
#pragma once

#include <signal.h>

#include <functional>
#include <optional>

#include "base/signals.h"

namespace holdfast::cli {

// Make it before the first thread: the signals are blocked, and threads inherit that. Ignores SIGPIPE. Both end with it.
class StopSignals {
 public:
  // `on_hangup` is called by the waiting thread for every SIGHUP. Throws std::system_error.
  explicit StopSignals(std::function<void()> on_hangup);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The next SIGTERM or SIGINT.
  int wait();

  // The same; nothing if `descriptor` became readable first.
  std::optional<int> wait_for(int descriptor) { return next(descriptor); }

  // Does `work` on a thread of its own. Nothing once it is done (what it throws, this throws); the signal, if one comes
  // first. Then the work goes on and can only be left behind with the whole process: call _exit().
  std::optional<int> wait_while(std::function<void()> work);

 private:
  // Nothing if `done` (a descriptor, or -1) became readable first.
  std::optional<int> next(int done);

  std::function<void()> on_hangup_;
  const base::SignalDescriptor signals_;
  const sighandler_t pipe_before_;
};

}  // namespace holdfast::cli
