// shared_engine.h -- the local engine that a command has started by being the first to use local:. It serves everything that its user runs; so it is not
// the command's, and is not ended with it.
//
// A process that has the engine's name is one only if it has the announcement locked in the state directory that it was started for
// (local/engine_process.h), and was not started with the run's id in its environment, as a command is that becomes the engine itself
// (`holdfast run x -- holdfast local serve`). So a run leaves at most one process per state directory, and nothing that process has started.
//
// Looking takes as long as the file system of the state directory takes to answer. So it is done only when nothing else is left that could be
// killed.
#pragma once

#include <string_view>
#include <vector>

#include "cli/run/process_tree.h"

namespace holdfast::cli {

// By its name alone, which costs nothing.
bool may_be_shared_engine(const ProcessInfo& process);

// Those of `below`, the processes below a run of that id, which the run has to end. While others can be killed, none that may be the engine.
std::vector<ProcessInfo> to_be_ended(std::vector<ProcessInfo> below, std::string_view run_id);

// Whether nothing is below this process but the shared engine. For a process that has one thread and has just reaped its children. False where
// the kernel does not list children (process_tree.h).
bool only_shared_engine_left(std::string_view run_id);

}  // namespace holdfast::cli
