// lock_checks.h -- may we lock there, how long does it take, and what time is it there?
#pragma once

#include "cli/config/service.h"
#include "cli/doctor/findings.h"

namespace holdfast::cli::doctor {

// Takes a lock with a name that no other client uses, looks at it, and gives it back.
void check_locks(const ServiceSettings& settings, Findings& findings);

// This machine's clock for deadlines, which must go on while it is suspended.
void check_own_clock(Findings& findings);

}  // namespace holdfast::cli::doctor
