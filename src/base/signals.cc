#include "base/signals.h"

#include <cerrno>
#include <system_error>

namespace holdfast::base {

sigset_t signal_set(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  return set;
}

SignalDescriptor::SignalDescriptor(const sigset_t& signals)
    : fd_(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)) {
  if (!fd_) throw std::system_error(errno, std::generic_category(), "signalfd");
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &signals, &before_); error != 0) {
    throw std::system_error(error, std::generic_category(), "pthread_sigmask");
  }
}

std::optional<signalfd_siginfo> SignalDescriptor::take() const noexcept {
  signalfd_siginfo info{};
  ssize_t got = 0;
  do {
    got = ::read(fd_.get(), &info, sizeof info);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return info;
}

}  // namespace holdfast::base
