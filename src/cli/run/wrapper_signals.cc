#include "cli/run/wrapper_signals.h"

#include <array>

namespace holdfast::cli {
namespace {

// All that people, shells and service managers send. SIGTTIN and SIGTTOU come to the whole job and stop it, us included.
constexpr std::array kCaught{SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1,  SIGUSR2, SIGALRM,
                             SIGTERM, SIGCONT, SIGTSTP, SIGWINCH, SIGPWR};

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t caught() {
  auto caught = base::signal_set({});
  for (const int signal : kCaught) {
    if (!is_ignored(signal)) ::sigaddset(&caught, signal);
  }
  return caught;
}

}  // namespace

WrapperSignals::WrapperSignals() : signals_(caught()) {}

std::optional<WrapperSignal> WrapperSignals::next() {
  const auto signal = signals_.take();
  if (!signal) return std::nullopt;
  return WrapperSignal{static_cast<int>(signal->ssi_signo), signal->ssi_code == SI_KERNEL};
}

void WrapperSignals::suffer(int signal, const std::function<void()>& before) {
  base::suffer(signal, [&] {
    if (before) before();
  });
}

bool ends_us(int signal) { return signal != SIGCONT && signal != SIGWINCH && !stops_us(signal); }

bool stops_us(int signal) { return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU || signal == SIGSTOP; }

void ignore_broken_pipes() { ::signal(SIGPIPE, SIG_IGN); }

}  // namespace holdfast::cli
