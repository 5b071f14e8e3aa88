// nested.h -- a `holdfast run` below another one that holds what it wants: `holdfast run x -- make`, where make runs `holdfast run x`.
//
// Who waits for a lock that its own ancestor holds waits for that to end; and most ancestors wait for what they have started.
#pragma once

#include <string>
#include <vector>

#include "cli/run/run_options.h"
#include "cli/run/waiting_sentence.h"
#include "holdfast/inspect.h"

namespace holdfast::cli {

// One sentence about the first of these locks that is not granted to us while one of `ancestors`, processes on our machine, holds it; empty
// if there is none. Locks that are shared, and permits as long as there are enough of them, can be held by both.
std::string nested_sentence(const std::vector<LockInfo>& locks, const RunOptions& options, const TicketOwner& us,
                            const std::vector<pid_t>& ancestors);

}  // namespace holdfast::cli
