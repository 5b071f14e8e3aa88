// server_checks.h -- is each server there, what is it, which session does it grant, how long does it take?
#pragma once

#include <string>

#include "cli/config/service.h"
#include "cli/doctor/findings.h"

namespace holdfast::cli::doctor {

// Of every one. True if one of them grants a session.
bool check_servers(const net::ServerAddresses& servers, const ServiceSettings& settings, Findings& findings);

}  // namespace holdfast::cli::doctor
