// local_checks.h -- the engine of this user, and where it keeps its state.
#pragma once

#include <optional>
#include <string>

#include "cli/config/service.h"
#include "cli/doctor/findings.h"

namespace holdfast::cli::doctor {

// Starts it if it does not run, as any command would. Its address, and in `settings` the login; nothing if it cannot be used.
std::optional<net::ServerAddresses> check_local(ServiceSettings& settings, Findings& findings);

}  // namespace holdfast::cli::doctor
