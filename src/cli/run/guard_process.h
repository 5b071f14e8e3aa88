// guard_process.h -- the guardian: a process that lets nothing run without the lock.
//
// It stands between the wrapper, which has the lock, and the command. It has no threads and, while the command lives, no connection, and is in no
// process group that a terminal or a shell would signal; so it goes on when the wrapper is stopped, hangs or is killed. It kills the
// command and all that the command has started in time before the lease ends that the wrapper last told it of, or when the wrapper is gone.
//
// In time is a matter of when it gets the processor. It makes itself as urgent as it may (scheduling.h), measures how late it is all the
// same (lateness.h), and is that much earlier. What it will have to kill it looks up before (roster.h).
//
//   state      the command ends       tell          kill             wrapper gone
//   waiting    -                      -             -                ends
//   running    reports it: ended      TERM: told    KILL: killing    tell now, kill not later than kill_after from now
//   ended      -                      -             -                the same; what the wrapper has heard of (done): ends, and what
//                                                                    was left in the background goes on
//   told       waits for the rest     -             KILL: killing    goes on
//   killing    until nothing is left, then ends
//
// A local engine that the command has started is not the command's, and is neither told nor killed nor waited for (shared_engine.h).
//
// Where it ends because the wrapper is gone, and nothing of the command lives, it first ends the wrapper's session (last_act.h).
#pragma once

#include <signal.h>

#include "cli/run/one_run.h"

namespace holdfast::cli {

// The life of the guardian, in the process that was forked for it. `mask` is the command's, `socket` the guardian's end.
[[noreturn]] void guard(const Run& run, const sigset_t& mask, int socket);

}  // namespace holdfast::cli
