// terminal_signals.h -- what a terminal's user does to the program beside typing: Ctrl-C, Ctrl-Z, a new window size,
// closing the window. As values for the one thread, not as interruptions.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "base/signals.h"

namespace holdfast::cli::shell {

class TerminalSignals {
 public:
  // Blocks SIGINT, SIGTERM, SIGHUP, SIGTSTP and SIGWINCH until it is destroyed. Throws std::system_error.
  TerminalSignals();
  ~TerminalSignals();
  TerminalSignals(const TerminalSignals&) = delete;
  TerminalSignals& operator=(const TerminalSignals&) = delete;

  // Readable once there is something for take().
  int fd() const { return signals_.fd(); }

  // Takes one of them. SIGTSTP stops this process here, between `before_stop` and `after_stop`. True if the caller that waits
  // should stop waiting: interrupted(), or ended().
  bool take();

  // Ctrl-C was pressed since it was asked last.
  bool interrupted() { return std::exchange(interrupted_, false); }
  // SIGTERM or SIGHUP: it is time to go.
  std::optional<int> ended() const { return ended_; }

  // For a caller that has the terminal in a state of its own.
  std::function<void()> before_stop = [] {};
  std::function<void()> after_stop = [] {};
  std::function<void()> resized = [] {};

 private:
  void stop();

  const base::SignalDescriptor signals_;
  bool interrupted_ = false;
  std::optional<int> ended_;
};

}  // namespace holdfast::cli::shell
