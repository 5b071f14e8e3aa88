#include "cli/shell/terminal_signals.h"

namespace holdfast::cli::shell {

TerminalSignals::TerminalSignals() : signals_(base::signal_set({SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH})) {}

TerminalSignals::~TerminalSignals() { signals_.unblock(); }

bool TerminalSignals::take() {
  const auto signal = signals_.take();
  if (!signal) return false;
  switch (signal->ssi_signo) {
    case SIGINT: interrupted_ = true; return true;
    case SIGTERM:
    case SIGHUP: ended_ = static_cast<int>(signal->ssi_signo); return true;
    case SIGTSTP: stop(); return false;
    case SIGWINCH: resized(); return false;
    default: return false;
  }
}

void TerminalSignals::stop() {
  before_stop();
  base::suffer(SIGTSTP, [] {});
  after_stop();
}

}  // namespace holdfast::cli::shell
