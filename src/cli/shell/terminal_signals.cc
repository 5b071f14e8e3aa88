#include "cli/shell/terminal_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace holdfast::cli::shell {

TerminalSignals::TerminalSignals() {
  sigset_t ours;
  ::sigemptyset(&ours);
  for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH}) ::sigaddset(&ours, each);
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &ours, &before_); error != 0) {
    throw std::system_error(error, std::generic_category(), "pthread_sigmask");
  }
  fd_ = ::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) {
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    throw std::system_error(error, std::generic_category(), "signalfd");
  }
}

TerminalSignals::~TerminalSignals() {
  ::close(fd_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool TerminalSignals::take() {
  signalfd_siginfo info{};
  if (::read(fd_, &info, sizeof info) != sizeof info) return false;
  switch (info.ssi_signo) {
    case SIGINT: interrupted_ = true; return true;
    case SIGTERM:
    case SIGHUP: ended_ = static_cast<int>(info.ssi_signo); return true;
    case SIGTSTP: stop(); return false;
    case SIGWINCH: resized(); return false;
    default: return false;
  }
}

void TerminalSignals::stop() {
  before_stop();
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, SIGTSTP);
  (void)::raise(SIGTSTP);                          // pending, as it is blocked
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);  // stops in here
  ::pthread_sigmask(SIG_BLOCK, &only, nullptr);
  after_stop();
}

}  // namespace holdfast::cli::shell
