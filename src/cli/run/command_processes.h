// command_processes.h -- all that a command has started, as its guardian reaches it: what is below this process, a subreaper, and what has got out of
// there. Without the shared engine (shared_engine.h).
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "cli/run/process_tree.h"
#include "holdfast/clock.h"

namespace holdfast::cli {

// Those below us that have to end.
std::vector<ProcessInfo> command_processes(std::string_view run_id);

// One pass: SIGKILL to each of them, and then the processor to die on, as far as that is allowed.
void kill_and_hurry(std::string_view run_id);

// One pass: SIGKILL to all with the run's id in their environment, wherever they are. Whether there were any.
bool kill_by_environment(std::string_view run_id);
// Until there are none. False: some are alive at the deadline.
bool kill_escaped(std::string_view run_id, Clock::time_point deadline);

// The signal to those below us that are in the command's process group. `own_group`: that is one of the command's own.
void forward_signal(pid_t command, bool own_group, int signal);

}  // namespace holdfast::cli
