#include "cli/run/terminal_modes.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "base/signals.h"

namespace holdfast::cli {

TerminalModes::TerminalModes() : tty_(::open("/dev/tty", O_RDWR | O_CLOEXEC)) {
  termios modes{};
  if (in_foreground() && ::tcgetattr(tty_.get(), &modes) == 0) before_ = modes;
}

bool TerminalModes::in_foreground() const { return tty_ && ::tcgetpgrp(tty_.get()) == ::getpgrp(); }

void TerminalModes::restore() {
  if (!before_) return;
  // Both calls stop a process that is in the background, unless it does not want to hear of it.
  const base::BlockedSignals blocked(base::signal_set({SIGTTOU}));
  const pid_t foreground = ::tcgetpgrp(tty_.get());
  const bool group_gone = foreground > 0 && ::kill(-foreground, 0) != 0 && errno == ESRCH;
  if (group_gone) ::tcsetpgrp(tty_.get(), ::getpgrp());
  if (in_foreground()) ::tcsetattr(tty_.get(), TCSADRAIN, &*before_);
}

}  // namespace holdfast::cli
