#include "cli/stop_signals.h"

#include <poll.h>
#include <signal.h>

#include <array>
#include <cerrno>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>

#include "base/event_descriptor.h"

namespace holdfast::cli {
namespace {

// Shared with a thread that may outlive the wait for it.
struct Work {
  explicit Work(std::function<void()> work) : run(std::move(work)) {}

  std::function<void()> run;
  base::EventDescriptor done{};
  std::exception_ptr failure{};
};

}  // namespace

StopSignals::StopSignals(std::function<void()> on_hangup)
    : on_hangup_(std::move(on_hangup)),
      signals_(base::signal_set({SIGTERM, SIGINT, SIGHUP})),
      pipe_before_(::signal(SIGPIPE, SIG_IGN)) {}

StopSignals::~StopSignals() {
  ::signal(SIGPIPE, pipe_before_);
  signals_.unblock();
}

int StopSignals::wait() {
  for (;;) {
    if (const auto number = next(-1)) return *number;
  }
}

std::optional<int> StopSignals::wait_while(std::function<void()> work) {
  const auto shared = std::make_shared<Work>(std::move(work));
  std::thread worker([shared] {
    try {
      shared->run();
    } catch (...) {
      shared->failure = std::current_exception();
    }
    shared->done.set();
  });
  if (const auto number = next(shared->done.fd())) {
    worker.detach();
    return number;
  }
  worker.join();
  if (shared->failure) std::rethrow_exception(shared->failure);
  return std::nullopt;
}

std::optional<int> StopSignals::next(int done) {
  for (;;) {
    std::array<pollfd, 2> fds{{{signals_.fd(), POLLIN, 0}, {done, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category(), "poll");
    }
    // A signal that came before the end of the work counts, even if both are seen at once.
    if ((fds[0].revents & POLLIN) == 0) return std::nullopt;
    const auto signal = signals_.take();
    if (!signal) continue;
    if (signal->ssi_signo != SIGHUP) return static_cast<int>(signal->ssi_signo);
    on_hangup_();
  }
}

}  // namespace holdfast::cli
