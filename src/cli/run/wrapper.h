// wrapper.h -- a command under a lock, from the first look at it to its exit code.
//
//   shell ── wrapper (this process: the lock, threads) ── guardian ── command ── whatever it starts
//
// See docs/adr/0012 for why there are three.
#pragma once

#include "cli/config/service.h"
#include "cli/run/run_options.h"

namespace holdfast::cli {

// The exit code. If the command died of Ctrl-C, it does not return: so do we. Throws Error and std::system_error, with
// nothing left running. Call it while the process has one thread.
int run_under_lock(const RunOptions& options, const ServiceSettings& settings);

}  // namespace holdfast::cli
