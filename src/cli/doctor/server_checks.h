// server_checks.h -- is each server there, what is it, which session does it grant, how long does it take?
#pragma once

#include <string>

#include "cli/doctor/findings.h"
#include "cli/service.h"

namespace holdfast::cli::doctor {

// Of every server in "host:port,host:port". True if one of them grants a session.
bool check_servers(const std::string& hosts, const ServiceSettings& settings, Findings& findings);

}  // namespace holdfast::cli::doctor
