// holding.h -- the time between the grant and the end of the command.
//
// The main thread hears four voices: signals, the guardian, the lease (lost, asked back) and the clock.
#pragma once

#include <atomic>
#include <optional>

#include "base/event_descriptor.h"
#include "cli/run/deadlines.h"
#include "cli/run/guardian.h"
#include "cli/run/one_run.h"
#include "cli/run/terminal_modes.h"
#include "cli/run/wrapper_signals.h"
#include "holdfast/lease.h"

namespace holdfast::cli {

// How a run ended, for the shell.
struct RunEnd {
  int code = 0;
  // The command, or we, died of this signal, and our parent is to see that we did too. Only for SIGINT: a shell that runs
  // a script stops at a Ctrl-C if the command died of it, and goes on if the command ended by itself.
  int die_of = 0;
  // Something that ran under the lock could not be killed.
  bool something_lives = false;
};
RunEnd ended_by(int signal);

class Holding {
 public:
  // `kill_after`: see kill_after_of().
  Holding(const Run& run, Clock::duration kill_after, const Lease& lease, Guardian& guardian, WrapperSignals& signals);
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

  // Starts the command and stays until it and the minimum hold have ended.
  RunEnd run();

  // What -v says about the bound.
  std::string bound() const;

 private:
  void wait();
  void hear_guardian();
  void hear_signals();
  void hear_lease();
  void look_at_the_clock();
  void command_stopped(int signal);
  void guardian_is_late(Clock::duration by);
  void command_ended(const FromGuardian& message);
  void explain_end();
  void guardian_died();
  void say_what_lives(std::size_t processes);
  // False if something lives on.
  bool kill_all_but(const std::vector<pid_t>& others);
  void end_command(const std::string& why);
  void stay_for_minimum();

  const Run& run_;
  const RunOptions& options_;
  const Lease& lease_;
  Guardian& guardian_;
  WrapperSignals& signals_;
  TerminalModes terminal_;
  const Clock::time_point granted_;
  const Clock::duration validity_;
  HoldTerms terms_;
  Deadlines last_{};
  const base::EventDescriptor wake_;
  std::atomic<bool> lost_{false};
  std::atomic<bool> asked_back_{false};
  bool ending_ = false;     // we have told the guardian to
  bool explained_ = false;  // the person knows why
  bool warned_ = false;
  bool maximum_ = false;  // --max-hold has ended it
  pid_t command_ = 0;
  std::optional<RunEnd> end_{};
};

}  // namespace holdfast::cli
