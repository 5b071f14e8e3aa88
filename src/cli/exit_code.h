// exit_code.h -- how the command ends. `holdfast run` also passes on its child's code, so these are numbers of sysexits.h, which
// programs seldom use, and the shell's own.
#pragma once

#include "holdfast/error.h"

namespace holdfast::cli {

constexpr int kExitNo = 1;      // show: no client wants it; break: it is still held; anything that failed otherwise
constexpr int kExitUsage = 64;  // an option, a name or a setting that makes no sense
constexpr int kExitUnavailable = 69;  // the storage service was not reached, or refused us
constexpr int kExitNotAcquired = 75;  // another client holds it; run -E says another
constexpr int kExitLost = 76;         // the lock was lost, and what ran under it was ended
constexpr int kExitTooLong = 124;     // --max-hold, as timeout(1) has it
constexpr int kExitNotRunnable = 126;
constexpr int kExitNotFound = 127;
constexpr int kExitSignal = 128;  // plus the signal

inline int exit_code_of(const Error& error) {
  return error.code() == Errc::invalid_argument ? kExitUsage : kExitUnavailable;
}

}  // namespace holdfast::cli
