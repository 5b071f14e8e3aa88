// wrapper_signals.h -- the signals that the wrapper of a command gets, as values, and what becomes of them.
#pragma once

#include <signal.h>

#include <functional>
#include <optional>

#include "base/signals.h"

namespace holdfast::cli {

struct WrapperSignal {
  int number = 0;
  // The kernel sent it, for a key or a window: to every process in the foreground, and so to the command as well.
  bool from_terminal = false;
};

// Make it before the first thread: the signals are blocked, and threads inherit that. What was ignored when we were started (nohup)
// stays ignored.
class WrapperSignals {
 public:
  // Throws std::system_error.
  WrapperSignals();

  // As it was when we were started: the command's.
  const sigset_t& mask_before() const noexcept { return signals_.mask_before(); }
  int fd() const noexcept { return signals_.fd(); }
  std::optional<WrapperSignal> next();  // does not wait

  // As if we had not caught it. Stops: returns once we are continued, or immediately if nothing could do that (no shell). `before` runs when the
  // signal is on its way but has not come: a process that sees the effect of `before` and continues us takes the stop back, in whatever
  // order the kernel runs us.
  void suffer(int signal, const std::function<void()>& before = {});

 private:
  const base::SignalDescriptor signals_;
};

// What a process does that has not said what it does: it ends.
bool ends_us(int signal);
// SIGTSTP and the like.
bool stops_us(int signal);

// Stderr may be a pipe without a reader, which is not a reason to drop a lock.
void ignore_broken_pipes();

}  // namespace holdfast::cli
