#include "cli/run/terminal_modes.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::cli {

TerminalModes::TerminalModes() : tty_(::open("/dev/tty", O_RDWR | O_CLOEXEC)) {
  termios modes{};
  if (in_foreground() && ::tcgetattr(tty_, &modes) == 0) before_ = modes;
}

TerminalModes::~TerminalModes() {
  if (tty_ >= 0) ::close(tty_);
}

bool TerminalModes::in_foreground() const { return tty_ >= 0 && ::tcgetpgrp(tty_) == ::getpgrp(); }

void TerminalModes::restore() {
  if (!before_) return;
  // Both calls stop a process that is in the background, unless it does not want to hear of it.
  sigset_t only;
  sigset_t usual;
  ::sigemptyset(&only);
  ::sigaddset(&only, SIGTTOU);
  ::pthread_sigmask(SIG_BLOCK, &only, &usual);
  const pid_t foreground = ::tcgetpgrp(tty_);
  const bool group_gone = foreground > 0 && ::kill(-foreground, 0) != 0 && errno == ESRCH;
  if (group_gone) ::tcsetpgrp(tty_, ::getpgrp());
  if (in_foreground()) ::tcsetattr(tty_, TCSADRAIN, &*before_);
  ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
}

}  // namespace holdfast::cli
