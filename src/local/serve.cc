// serve.cc -- the process that is the local engine.
//
//              SIGTERM, SIGINT            no session for `idle`      SIGHUP
//   serving    -> stopping                -> stopping                nothing
//   stopping   ends immediately           -                          nothing
//
// engine.lock is held from before the data directory is used until the process has ended: the next engine waits for it.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/memory_reserve.h"
#include "base/signals.h"
#include "holdfast/engine.h"
#include "holdfast/error.h"
#include "holdfast/local.h"
#include "local/announcement.h"
#include "local/conditions.h"
#include "local/control.h"
#include "local/engine_process.h"
#include "local/spawn.h"
#include "local/start.h"

namespace holdfast {
namespace {

using local::error_text;
using std::chrono::milliseconds;

constexpr auto kLifeLock = "engine.lock";
// How long to wait for an earlier engine to end; its last snapshot may be large. After that an alarm of the kernel ends this process.
constexpr unsigned kPredecessorSeconds = 60;
// The time between two checks of whether a client uses the engine, and of the log: a fraction of the idle time, within these bounds.
constexpr milliseconds kShortestLook{10};
constexpr milliseconds kLongestLook{30'000};
constexpr int kLooksPerIdle = 4;
// How long to wait for the first session of the client that started the engine, which may have been stopped.
constexpr auto kStarterTimeout = std::chrono::minutes(1);

[[noreturn]] void fail(std::string sentence) { throw Error(Errc::refused, std::move(sentence)); }

EngineOptions engine_options(const local::StateDirectory& directory) {
  EngineOptions options{
      .data_dir = directory.file("data"),
      .durability = Durability::process,
      .listen = {{.path = directory.file(local::kSocket)}},
      // A client gets the timeout that it asks for, as with `embedded:`: there is no slow network in between.
      .min_session_timeout = milliseconds(100),
      .max_session_timeout = std::chrono::hours(1),
      .four_letter_words = {},
  };
  // They all come from one socket.
  options.limits.connections_per_address = 0;
  return options;
}

// Signals that end the engine are read by this thread. Called before there is another thread.
base::SignalDescriptor take_signals() try {
  return base::SignalDescriptor(base::signal_set({SIGTERM, SIGINT, SIGHUP, SIGPIPE}));
} catch (const std::system_error& error) {
  fail(std::string("cannot take signals: ") + error.what());
}

// SIGTERM or SIGINT has come.
bool told_to_end(const base::SignalDescriptor& signals) {
  bool told = false;
  while (const auto signal = signals.take()) {
    told = told || signal->ssi_signo == SIGTERM || signal->ssi_signo == SIGINT;
  }
  return told;
}

// From here on a signal ends the process, as by default.
void end_at_next_signal() {
  const auto ours = base::signal_set({SIGTERM, SIGINT});
  ::pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
}

void keep_log_small() {
  struct stat status {};
  if (::fstat(STDERR_FILENO, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= local::kLargestLog) return;
  [[maybe_unused]] const int emptied = ::ftruncate(STDERR_FILENO, 0);
}

void say_when(std::string_view what) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  const auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  fmt::print(stderr, "{} holdfast {}: {}\n", std::string_view(text.data(), size), ::getpid(), what);
}

class LocalService {
 public:
  // `has_log`: stderr is the engine's own log.
  LocalService(const local::StateDirectory& directory, milliseconds idle, bool has_log)
      : directory_(directory),
        idle_(idle),
        has_log_(has_log),
        signals_(take_signals()),
        engine_(engine_options(directory)) {}

  void announce() {
    auto control = local::Control::open(directory_);
    if (!control) fail(control.error());
    control_.emplace(*std::move(control));
    const auto conditions = local::Conditions::of_this_process();
    auto announcement = local::Announcement::publish(directory_, conditions);
    if (!announcement) fail(announcement.error());
    announcement_.emplace(*std::move(announcement));
    const auto complaint = conditions.complaint();
    say_when(fmt::format("serving on {}{}{}", engine_.addresses().front(), complaint.empty() ? "" : ", held back by ",
                         complaint));
  }

  // `starter` is the pipe to the client that started the engine: it does not count as unused until that client has connected.
  void serve(base::Descriptor starter) {
    const auto look = std::clamp(idle_ / kLooksPerIdle, kShortestLook, kLongestLook);
    const auto wait_until = std::chrono::steady_clock::now() + kStarterTimeout;
    while (true) {
      // The kernel reports a pipe without a reader, whatever is asked for; it ignores -1.
      std::array<pollfd, 3> ready{pollfd{signals_.fd(), POLLIN, 0}, pollfd{control_->fd(), POLLIN, 0},
                                  pollfd{starter.get(), 0, 0}};
      ::poll(ready.data(), ready.size(), static_cast<int>(look.count()));
      if (told_to_end(signals_)) break;
      if ((ready[1].revents & POLLIN) != 0) control_->answer(engine_.sessions());
      if (has_log_) keep_log_small();
      if (ready[2].revents != 0 || std::chrono::steady_clock::now() >= wait_until) starter.reset();
      if (starter) continue;
      // Before it stops listening, also here: a client that still found it would come in vain.
      if (engine_.stop_if_unused(idle_, [this] { announcement_->withdraw(directory_); })) {
        return say_when("ended: no client has used it for a while");
      }
    }
    // First, so that no client finds a closed socket: a client that looks now waits for the next engine.
    announcement_->withdraw(directory_);
    end_at_next_signal();
    engine_.stop();
    say_when("ended: it was told to");
  }

 private:
  const local::StateDirectory& directory_;
  const milliseconds idle_;
  const bool has_log_;
  const base::SignalDescriptor signals_;
  Engine engine_;
  std::optional<local::Control> control_;
  std::optional<local::Announcement> announcement_;
};

// The child of an ended parent is not the leader of a session, so no terminal can become its own.
void leave_parent_behind() {
  ::prctl(PR_SET_NAME, local::kEngineProcessName);  // the child has it from its first moment on
  const auto child = ::fork();
  if (child < 0) fail("cannot start another process: " + error_text(errno));
  if (child > 0) ::_exit(0);
  if (::chdir("/") != 0) fail("cannot go to /: " + error_text(errno));
}

base::Descriptor lock_for_life(const local::StateDirectory& directory) {
  auto lock = directory.open(kLifeLock, O_RDWR | O_CREAT);
  if (!lock) fail(fmt::format("cannot open {}: {}", directory.file(kLifeLock), error_text(errno)));
  ::alarm(kPredecessorSeconds);
  while (::flock(lock.get(), LOCK_EX) != 0) {
    if (errno != EINTR) fail(fmt::format("cannot lock {}: {}", directory.file(kLifeLock), error_text(errno)));
  }
  ::alarm(0);
  return lock;
}

void tell(const base::Descriptor& pipe, std::string_view word) {
  // The reader may be gone.
  [[maybe_unused]] const auto told = ::write(pipe.get(), word.data(), word.size());
}

}  // namespace

void serve_local_engine(const ServeLocalOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  base::Descriptor ready(options.ready_fd);
  base::Descriptor start_lock(options.start_lock_fd);
  try {
    if (ready) leave_parent_behind();
    local::throw_off_conditions();
    base::give_large_blocks_back();
    const auto directory = local::open_state_directory(local::Missing::create);
    if (!directory) fail(directory.error());
    const auto life = lock_for_life(*directory);
    LocalService service(*directory, options.idle, options.ready_fd >= 0);
    service.announce();
    tell(ready, local::kReady);
    start_lock.reset();
    service.serve(std::move(ready));
  } catch (const std::exception& error) {
    tell(ready, error.what());
    throw;
  }
}

}  // namespace holdfast
