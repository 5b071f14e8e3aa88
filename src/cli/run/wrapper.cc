#include "cli/run/wrapper.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/uuid.h"
#include "cli/commands/disk_room.h"
#include "cli/config/setting_value.h"
#include "cli/exit_code.h"
#include "cli/run/acquisition.h"
#include "cli/run/command.h"
#include "cli/run/guardian.h"
#include "cli/run/holding.h"
#include "cli/run/one_run.h"
#include "cli/run/scheduling.h"
#include "cli/run/standard_streams.h"
#include "cli/run/waiting_line.h"
#include "cli/run/waiting_sentence.h"
#include "cli/run/wrapper_signals.h"
#include "holdfast/error.h"
#include "settings/duration.h"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

// Leaving the line is one request. A service that does not answer it forgets us with our session.
constexpr milliseconds kLeaveWithin{2'000};
// For the connection to come back before the lock is left to the end of its session.
constexpr milliseconds kGiveBackWithin{1'000};
// A shorter wait is not worth a line.
constexpr milliseconds kShownAfter{200};

bool answers(const Client& client) {
  return client.state() == ConnectionState::connected || client.state() == ConnectionState::reconnected;
}

// An engine of local: that was killed is there again in a moment, and giving the lock back to it spares rivals a wait.
bool answers_soon(const Client& client) {
  const auto deadline = Clock::now() + kGiveBackWithin;
  while (!answers(client) && Clock::now() < deadline) ::poll(nullptr, 0, 5);
  return answers(client);
}

class Wrapper {
 public:
  Wrapper(const Run& run, Clock::duration kill_after)
      : run_(run),
        options_(run.options),
        settings_(run.service),
        kill_after_(kill_after),
        guardian_(run, signals_.mask_before()) {
    take_short_turns();  // heartbeats are little work, and are wanted in time
    ignore_broken_pipes();
    let_go_of_streams(guardian_.socket(), {signals_.fd()});
  }

  RunEnd run();
  // Without a word to a service that does not answer, or to threads that wait for it.
  [[noreturn]] void end_process(RunEnd end);

 private:
  // Nothing once the acquisition is done; the end, if a signal comes first.
  std::optional<RunEnd> wait_in_line(Acquisition& acquisition);
  RunEnd leave(Acquisition& acquisition, std::optional<WaitingLine>& line, RunEnd end);
  RunEnd not_acquired(Acquisition& acquisition);
  RunEnd hold(Acquisition& acquisition);
  void say_if_not_as_asked(milliseconds granted) const;

  const Run& run_;
  const RunOptions& options_;
  const ServiceSettings& settings_;
  const Clock::duration kill_after_;
  WrapperSignals signals_;
  Guardian guardian_;
  const Clock::time_point begun_ = Clock::now();
};

RunEnd Wrapper::run() {
  RunEnd end;
  {
    Acquisition acquisition(options_, settings_,
                            [this](const Client& client) { guardian_.tell_session(lock::session_key(client)); });
    if (const auto given_up = wait_in_line(acquisition)) {
      end = *given_up;
    } else {
      end = acquisition.result() ? hold(acquisition) : not_acquired(acquisition);
    }
  }
  guardian_.tell_session({});  // it has ended
  return end;
}

std::optional<RunEnd> Wrapper::wait_in_line(Acquisition& acquisition) {
  std::optional<WaitingLine> line;
  for (;;) {
    std::array<pollfd, 2> fds{{{acquisition.done_fd(), POLLIN, 0}, {signals_.fd(), POLLIN, 0}}};
    const bool show = !options_.quiet && !line;
    const int ready = ::poll(fds.data(), fds.size(), show ? static_cast<int>(kShownAfter.count()) : -1);
    if (show && ready == 0) line.emplace(options_, acquisition, settings_.url);
    if (fds[0].revents != 0) return std::nullopt;
    while (const auto signal = signals_.next()) {
      if (stops_us(signal->number)) signals_.suffer(signal->number);
      if (ends_us(signal->number)) return leave(acquisition, line, ended_by(signal->number));
    }
  }
}

RunEnd Wrapper::leave(Acquisition& acquisition, std::optional<WaitingLine>& line, RunEnd end) {
  acquisition.give_up();
  const auto deadline = Clock::now() + kLeaveWithin;
  const bool erased = !line || line->finish(deadline);
  // Who has not connected has no ticket.
  const bool connected = acquisition.client() != nullptr && answers(*acquisition.client());
  pollfd done{acquisition.done_fd(), POLLIN, 0};
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  const bool left_line = connected && ::poll(&done, 1, static_cast<int>(std::max<std::int64_t>(left, 0))) > 0;
  if (!erased || !left_line) end_process(end);
  return end;
}

RunEnd Wrapper::not_acquired(Acquisition& acquisition) {
  const auto& result = acquisition.result();
  if (result.error() != Errc::timed_out) throw Error(result.error(), result.message());
  // Known already, if others were ahead of us in the queue.
  const bool others = result.ahead().value_or(0) > 0;
  if (others && options_.quiet) return {options_.conflict_code};
  std::string held;
  try {
    held = held_sentence(look_at(*acquisition.client(), options_), this_process(), std::chrono::system_clock::now());
  } catch (const Error&) {
    // Then it is not known who holds it.
  }
  const auto room = room_trouble(settings_.url);
  const auto because = room.empty() ? "" : "; " + room;
  // A service that does not grant what is free is out of order, and that must not pass for a lock that is held (-E 0).
  if (!others && held.empty()) throw Error(Errc::not_connected, result.message() + because);
  if (held.empty()) held = run_.names() + " was not granted";
  if (!options_.quiet) say(fmt::format("{}; the command was not run{}", held, because));
  return {options_.conflict_code};
}

RunEnd Wrapper::hold(Acquisition& acquisition) {
  Client& client = *acquisition.client();
  const auto& lease = acquisition.result().lease();
  guardian_.tell_session(lock::session_key(client));  // the one that waited may have been lost
  say_if_not_as_asked(std::chrono::duration_cast<milliseconds>(client.session_timeout()));
  RunEnd end;
  {
    Holding holding(run_, kill_after_, lease, guardian_, signals_);
    if (options_.verbose) {
      say(fmt::format("{}: granted after {}, token {}; {}", run_.names(), show_seconds(Clock::now() - begun_),
                      lease.token(), holding.bound()));
    }
    end = holding.run();
  }
  // Then no rival can be granted before the session has ended; that is all the time that we can give it.
  if (end.something_lives) end_process(end);
  if (!answers_soon(client)) {
    if (end.code != kExitLost) {
      say(fmt::format(
          "{}: the storage service does not answer, so the lock could not be given back; it is free once the "
          "session has ended, in about {}",
          run_.names(), show_seconds(settings_.session_timeout)));
    }
    end_process(end);
  }
  // The access log tells what was given back from what ended with its session.
  if (!options_.access_log.empty()) acquisition.result().lease().release();
  // Also gives the lock back, and waits until that is done: the next command must find it free.
  client.close();
  return end;
}

// Only if the user has asked for one: no user waits for the default.
void Wrapper::say_if_not_as_asked(milliseconds granted) const {
  const auto asked = std::find_if(settings_.origins.begin(), settings_.origins.end(),
                                  [](const Setting& setting) { return setting.key == "session_timeout"; });
  if (options_.quiet || asked == settings_.origins.end() || asked->origin == "default") return;
  if (granted == milliseconds(0) || granted == settings_.session_timeout) return;
  say(fmt::format("{}: the storage service has granted a session timeout of {} instead of {}", run_.names(),
                  show_seconds(granted), show_seconds(settings_.session_timeout)));
}

void Wrapper::end_process(RunEnd end) {
  if (end.die_of != 0) signals_.suffer(end.die_of);
  ::_exit(end.code);
}

}  // namespace

int run_under_lock(const RunOptions& options, const ServiceSettings& settings) {
  occupy_closed_streams();
  if (const int error = check_command(options.command.front()); error != 0) {
    say(fmt::format("{}: {}", options.command.front(), error == ENOENT ? "command not found" : std::strerror(error)));
    return error == ENOENT ? kExitNotFound : kExitNotRunnable;
  }
  // What the command starts is found through /proc, and must be found.
  if (std::error_code error; std::filesystem::read_symlink("/proc/self", error) != std::to_string(::getpid())) {
    throw Error(Errc::refused,
                "/proc is not there, or not that of this PID namespace, so the command could not be ended in time; "
                "mount it (unshare --mount-proc)");
  }
  const Run run{options, settings, base::random_uuid()};
  const auto kill_after = kill_after_of(run);
  if (!kill_after) throw Error(Errc::invalid_argument, kill_after.error());
  Wrapper wrapper(run, *kill_after);
  const RunEnd end = wrapper.run();
  if (end.die_of != 0) wrapper.end_process(end);
  return end.code;
}

}  // namespace holdfast::cli
