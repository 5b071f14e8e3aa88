#include "cli/stop_signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>

namespace holdfast::cli {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// Shared with a thread that may outlive the wait for it.
struct Work {
  explicit Work(std::function<void()> work) : run(std::move(work)), done(::eventfd(0, EFD_CLOEXEC)) {
    if (done < 0) fail("eventfd");
  }
  ~Work() { ::close(done); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  std::function<void()> run;
  int done;
  std::exception_ptr failure{};
};

}  // namespace

StopSignals::StopSignals(std::function<void()> on_hangup) : on_hangup_(std::move(on_hangup)) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, number);
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &set, &mask_before_); error != 0) {
    throw std::system_error(error, std::generic_category(), "pthread_sigmask");
  }
  pipe_before_ = ::signal(SIGPIPE, SIG_IGN);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  if (signals_ < 0) fail("signalfd");
}

StopSignals::~StopSignals() {
  ::close(signals_);
  ::signal(SIGPIPE, pipe_before_);
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
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
    const std::uint64_t one = 1;
    // An eventfd that was never written to takes it.
    [[maybe_unused]] const auto written = ::write(shared->done, &one, sizeof one);
  });
  if (const auto number = next(shared->done)) {
    worker.detach();
    return number;
  }
  worker.join();
  if (shared->failure) std::rethrow_exception(shared->failure);
  return std::nullopt;
}

std::optional<int> StopSignals::next(int done) {
  for (;;) {
    std::array<pollfd, 2> fds{{{signals_, POLLIN, 0}, {done, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      fail("poll");
    }
    // A signal that came before the end of the work counts, even if both are seen at once.
    if ((fds[0].revents & POLLIN) == 0) return std::nullopt;
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) != sizeof info) continue;
    if (info.ssi_signo != SIGHUP) return static_cast<int>(info.ssi_signo);
    on_hangup_();
  }
}

}  // namespace holdfast::cli
