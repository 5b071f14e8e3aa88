// redis_checks.h -- is each Redis there, what is it, may locks be kept there, and what becomes of them when it restarts or fails over?
#pragma once

#include "cli/config/service.h"
#include "cli/doctor/findings.h"

namespace holdfast::cli::doctor {

// Of every server of a Redis URL; of Sentinels, the master that they name. True if one of them can have locks.
bool check_redis(const ServiceSettings& settings, Findings& findings);

}  // namespace holdfast::cli::doctor
