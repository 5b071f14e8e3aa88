// one_run.h -- one run, as all its parts share it: what was asked for, of which service, and by which id it is known.
//
// What the wrapper then tells the guardian about its hold is HoldTerms (deadlines.h).
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cli/config/service.h"
#include "cli/run/run_options.h"
#include "holdfast/clock.h"

namespace holdfast::cli {

struct Run {
  const RunOptions& options;
  const ServiceSettings& service;
  std::string id;  // in the environment of the command, and so of all that it starts

  // For messages.
  std::string names() const { return options.shown_names(); }
  // Of a lease, when the service was just heard, by the session that is asked for.
  Clock::duration validity() const { return nominal_validity(service.session_timeout); }
};

// From TERM to KILL, by the session that is asked for: known before anything is waited for. The error says why --kill-after does not fit.
tl::expected<Clock::duration, std::string> kill_after_of(const Run& run);

// What the command's environment has on top of ours, or in its place.
std::vector<std::pair<std::string, std::string>> environment_of_command(const Run& run, std::uint64_t token);

}  // namespace holdfast::cli
