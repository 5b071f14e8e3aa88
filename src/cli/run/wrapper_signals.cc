#include "cli/run/wrapper_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace holdfast::cli {
namespace {

// All that people, shells and service managers send. SIGTTIN and SIGTTOU come to the whole job and stop it, us included.
constexpr std::array kCaught{SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1,  SIGUSR2, SIGALRM,
                             SIGTERM, SIGCONT, SIGTSTP, SIGWINCH, SIGPWR};

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

WrapperSignals::WrapperSignals() {
  sigset_t caught;
  ::sigemptyset(&caught);
  for (const int signal : kCaught) {
    if (!is_ignored(signal)) ::sigaddset(&caught, signal);
  }
  fd_ = ::signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
  ::pthread_sigmask(SIG_BLOCK, &caught, &before_);
}

// They stay blocked: what comes while we end comes too late to change how.
WrapperSignals::~WrapperSignals() { ::close(fd_); }

std::optional<WrapperSignal> WrapperSignals::next() {
  signalfd_siginfo info{};
  ssize_t got = 0;
  do {
    got = ::read(fd_, &info, sizeof info);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof info) return std::nullopt;
  return WrapperSignal{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

void WrapperSignals::suffer(int signal, const std::function<void()>& before) {
  sigset_t only;
  sigset_t usual;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::raise(signal);
  if (before) before();
  ::pthread_sigmask(SIG_UNBLOCK, &only, &usual);
  // Here it comes.
  ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
}

bool ends_us(int signal) { return signal != SIGCONT && signal != SIGWINCH && !stops_us(signal); }

bool stops_us(int signal) { return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU || signal == SIGSTOP; }

void ignore_broken_pipes() { ::signal(SIGPIPE, SIG_IGN); }

}  // namespace holdfast::cli
