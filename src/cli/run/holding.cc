#include "cli/run/holding.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stop_token>
#include <system_error>
#include <utility>

#include "cli/config/setting_value.h"
#include "cli/exit_code.h"
#include "cli/run/command_processes.h"
#include "cli/run/process_tree.h"
#include "cli/run/shared_engine.h"
#include "cli/run/standard_streams.h"
#include "local/engine_process.h"
#include "settings/duration.h"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

// A guardian that is so late has been stopped, and no other process will do its work.
constexpr auto kLongestDelay = milliseconds(100);
constexpr auto kKillTimeout = std::chrono::seconds(10);

}  // namespace

RunEnd ended_by(int signal) { return {kExitSignal + signal, signal == SIGINT ? signal : 0}; }

Holding::Holding(const Run& run, Clock::duration kill_after, const Lease& lease, Guardian& guardian,
                 WrapperSignals& signals)
    : run_(run),
      options_(run.options),
      lease_(lease),
      guardian_(guardian),
      signals_(signals),
      granted_(Clock::now()),
      validity_(lease.valid_until() - granted_),
      terms_{.on_lost = options_.on_lost,
             .kill_after = options_.on_lost == OnLost::term ? fit_kill_after(kill_after, validity_) : kill_after,
             .margin = kill_margin(validity_),
             .largest_margin = largest_margin(validity_),
             .hold_until = options_.max_hold ? granted_ + *options_.max_hold : Clock::time_point::max()} {}

std::string Holding::bound() const {
  const auto plan = plan_deadlines(
      {.on_lost = terms_.on_lost, .kill_after = terms_.kill_after, .margin = terms_.margin}, granted_ + validity_);
  const auto in = [this](Clock::time_point time) { return show_seconds(time - granted_); };
  if (options_.on_lost == OnLost::ignore)
    return "if the storage service falls silent, the command goes on (--on-lost ignore)";
  const auto told =
      options_.on_lost == OnLost::kill ? std::string() : fmt::format("is told to end after {} and ", in(plan.tell));
  return fmt::format(
      "if the storage service falls silent, the command {}is dead after {} at the latest; no rival is granted "
      "before {}",
      told, in(plan.kill), in(granted_ + validity_));
}

RunEnd Holding::run() {
  const auto wake_us = [this](std::atomic<bool>& flag) {
    flag = true;
    wake_.set();
  };
  // If the guardian dies, we inherit what it guarded.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto valid_until = lease_.valid_until();
  last_ = plan_deadlines(terms_, valid_until);
  guardian_.start(lease_.token(), terms_, valid_until);
  {
    const std::stop_callback on_lost(lease_.lost(), [&] { wake_us(lost_); });
    const std::stop_callback on_asked_back(lease_.revoked(), [&] { wake_us(asked_back_); });
    while (!end_) {
      wait();
      hear_guardian();
      if (!end_) hear_signals();
      if (!end_) hear_lease();
      if (!end_) look_at_the_clock();
    }
    stay_for_minimum();
  }
  return *end_;
}

void Holding::wait() {
  // As often as matters to the guardian, whose deadlines are as old as our last look. Rounded up: 0 would spin.
  const auto often = std::clamp<Clock::duration>(validity_ / 20, milliseconds(20), milliseconds(1'000));
  const auto timeout = std::chrono::ceil<milliseconds>(often);
  std::array<pollfd, 3> fds{{{signals_.fd(), POLLIN, 0}, {guardian_.socket(), POLLIN, 0}, {wake_.fd(), POLLIN, 0}}};
  ::poll(fds.data(), fds.size(), static_cast<int>(timeout.count()));
  wake_.clear();
}

void Holding::hear_guardian() {
  while (const auto message = guardian_.hear()) {
    switch (message->kind) {
      case FromGuardian::Kind::started: command_ = message->value; break;
      case FromGuardian::Kind::not_started:
        say(fmt::format("{}: {}", options_.command.front(), std::strerror(message->value)));
        end_ = RunEnd{message->value == ENOENT ? kExitNotFound : kExitNotRunnable};
        return;
      case FromGuardian::Kind::stopped: command_stopped(message->value); break;
      case FromGuardian::Kind::told:
        explained_ = explained_ || message->said;
        maximum_ = message->maximum;
        explain_end();
        break;
      case FromGuardian::Kind::late: guardian_is_late(message->by); break;
      case FromGuardian::Kind::ended: command_ended(*message); return;
    }
  }
  if (guardian_.dead()) guardian_died();
}

void Holding::explain_end() {
  if (explained_) return;
  explained_ = true;
  const auto now = Clock::now();
  if (maximum_) {
    say(fmt::format("{}: held for {}, as long as --max-hold allows; ending the command", run_.names(),
                    show_seconds(*options_.max_hold)));
  } else {
    say(fmt::format(
        "{}: the storage service has not answered for about {}; ending the command before the lock can go to "
        "another client",
        run_.names(),
        show_seconds(
            std::max<Clock::duration>(now + run_.validity() - lease_.valid_until(), Clock::duration::zero()))));
  }
}

void Holding::guardian_is_late(Clock::duration by) {
  if (options_.quiet || options_.on_lost == OnLost::ignore) return;
  say(
      fmt::format("{}: this machine is so busy that the command could not be ended in time if the storage service fell "
                  "silent: it might run for {} "
                  "after another client has the lock; give it a longer --session-timeout, or a higher priority",
                  run_.names(), show_seconds(by)));
}

void Holding::command_ended(const FromGuardian& message) {
  guardian_.done();
  const bool forced = message.told || message.killed;
  if (forced) {
    explained_ = explained_ || message.said;
    maximum_ = message.maximum;
    explain_end();
    terminal_.restore();
    if (message.left > 0) say_what_lives(message.left);
    end_ = RunEnd{.code = maximum_ ? kExitTooLong : kExitLost, .something_lives = message.left > 0};
  } else if (WIFSIGNALED(message.value)) {
    end_ = ended_by(WTERMSIG(message.value));
  } else {
    end_ = RunEnd{WEXITSTATUS(message.value)};
  }
}

void Holding::say_what_lives(std::size_t processes) {
  say(fmt::format(
      "{}: {} of its processes could not be killed (another user's, or waiting for a disk); look at them before you "
      "trust the lock",
      run_.names(), processes));
}

void Holding::command_stopped(int signal) {
  // Stale if we were stopped ourselves. And without a shell that waits for us there is no parent to tell: the command is continued by
  // the process that stopped it, and the lock stays ours until then.
  if (!terminal_.in_foreground() || !process_info(command_).stopped) return;
  signals_.suffer(signal);
}

void Holding::hear_signals() {
  while (const auto signal = signals_.next()) {
    if (stops_us(signal->number)) {
      signals_.suffer(signal->number, [&] {
        if (!signal->from_terminal) guardian_.forward(signal->number);
      });
      continue;
    }
    // Keys and windows reach the command without us: it is in our process group. But when its terminal is closed the kernel
    // tells the leader of the session only, which may be us.
    const bool ours_alone = signal->number == SIGHUP && ::getsid(0) == ::getpid();
    if (!signal->from_terminal || ours_alone) guardian_.forward(signal->number);
  }
}

void Holding::hear_lease() {
  if (asked_back_ && !ending_ && !warned_) {
    if (options_.on_lost == OnLost::ignore) {
      warned_ = true;
      say(fmt::format("{}: a client asks for the lock back; the command goes on (--on-lost ignore)", run_.names()));
    } else {
      end_command("a client asks for the lock back");
    }
  }
  if (!lost_ || ending_) return;
  if (options_.on_lost != OnLost::ignore) return end_command("the lock was lost");
  if (explained_) return;
  explained_ = true;
  say(fmt::format("{}: the lock was lost; the command goes on without it (--on-lost ignore)", run_.names()));
}

void Holding::end_command(const std::string& why) {
  ending_ = true;
  const auto now = end_now(terms_, Clock::now());
  last_ = {now.tell, std::min(now.kill, last_.kill)};
  guardian_.end();
  if (!std::exchange(explained_, true)) say(fmt::format("{}: {}; ending the command", run_.names(), why));
}

void Holding::look_at_the_clock() {
  if (!ending_ && !lost_) {
    const auto valid_until = lease_.valid_until();
    last_ = plan_deadlines(terms_, valid_until);
    guardian_.renew(valid_until);
  }
  if (last_.kill == Clock::time_point::max() || Clock::now() < last_.kill + kLongestDelay) return;
  // If it is only late, what is below it must not wait for its end.
  kill_descendants(guardian_.pid(), {}, local::kEngineProcessName);
  ::kill(guardian_.pid(), SIGKILL);  // then we hear that it is dead, and inherit what is left
}

void Holding::guardian_died() {
  // Children that were there before the command are not its own: those of a shell that started them and then became us.
  const auto ticks = static_cast<unsigned long long>(::sysconf(_SC_CLK_TCK));
  const auto granted = std::chrono::duration_cast<milliseconds>(granted_.time_since_epoch()).count();
  std::vector<pid_t> before;
  for (const auto& process : descendants_of(::getpid())) {
    const bool older = process.started + 1 < static_cast<unsigned long long>(granted) * ticks / 1'000;
    if (process.parent == ::getpid() && process.pid != guardian_.pid() && older) before.push_back(process.pid);
  }
  const bool none_below = kill_all_but(before);
  const bool all_dead = kill_escaped(run_.id, Clock::now() + kKillTimeout) && none_below;
  terminal_.restore();
  if (!std::exchange(explained_, true)) {
    say(run_.names() + ": the guardian of the command was killed; the command was ended");
  }
  if (!all_dead) {
    say_what_lives(std::max<std::size_t>(to_be_ended(descendants_of(::getpid(), before), run_.id).size(), 1));
  }
  // If it was only late, its reason is known.
  end_ = RunEnd{.code = maximum_ ? kExitTooLong : kExitLost, .something_lives = !all_dead};
}

// Who forks and ends faster than we look is not seen in a list of processes, but it is our child as soon as its parent is dead. So it is
// over when there is no child any more; or, if there are some that are not the command's, as an engine that we or the command have started for
// local:, when nothing else was seen for a while.
bool Holding::kill_all_but(const std::vector<pid_t>& others) {
  constexpr int kQuietLooks = 50;
  const auto give_up = Clock::now() + kKillTimeout;
  for (int quiet = 0; Clock::now() < give_up;) {
    const auto below = descendants_of(::getpid(), others);
    const auto found = to_be_ended(below, run_.id);
    for (const auto& process : found) ::kill(process.pid, SIGKILL);
    quiet = found.empty() ? quiet + 1 : 0;
    pid_t reaped = 0;
    while ((reaped = ::waitpid(-1, nullptr, WNOHANG)) > 0) quiet = 0;
    if (reaped < 0 && errno == ECHILD) return true;
    if (quiet >= kQuietLooks && !(others.empty() && below.empty())) return true;
    ::poll(nullptr, 0, 1);
  }
  return false;
}

void Holding::stay_for_minimum() {
  const auto until = granted_ + options_.min_hold;
  while (!lost_ && end_->die_of == 0) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    if (left <= 0) return;
    std::array<pollfd, 2> fds{{{signals_.fd(), POLLIN, 0}, {wake_.fd(), POLLIN, 0}}};
    constexpr std::int64_t kLongest = 3'600'000;
    ::poll(fds.data(), fds.size(), static_cast<int>(std::min(left, kLongest)));
    wake_.clear();
    while (const auto signal = signals_.next()) {
      if (stops_us(signal->number)) signals_.suffer(signal->number);
      if (ends_us(signal->number)) end_ = ended_by(signal->number);
      if (ends_us(signal->number)) return;
    }
  }
}

}  // namespace holdfast::cli
