// command.h -- the command that is run under the lock: finding it, and becoming it.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cli/run/scheduling.h"
#include "holdfast/clock.h"

namespace holdfast::cli {

// 0, ENOENT or EACCES: what execvp() would most likely say to this name. Asked before the lock is waited for, so that a slip of
// the finger does not cost an hour.
int check_command(const std::string& name);

struct CommandStart {
  const std::vector<std::string>& argv;
  const std::vector<std::pair<std::string, std::string>>& env;  // added to ours, or replacing
  const sigset_t& mask;
  pid_t group;                   // the process group it joins; 0: one of its own
  bool ignores_children;         // SIGCHLD was ignored when we were started
  const Scheduling& scheduling;  // what the command has of the processor, which may be less than we have
  Clock::time_point not_after;   // the lock may be a rival's by then
};

// Forks, from a process without threads. It is killed when the caller dies. The pid, or errno of execvp(); ETIMEDOUT: it is too
// late, and what was forked is dead. Scripts without a first line that says how are given to the shell, as shells do.
tl::expected<pid_t, int> start_command(const CommandStart& start);

}  // namespace holdfast::cli
