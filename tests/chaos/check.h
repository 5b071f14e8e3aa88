// check.h -- is this the history of a lock? Reads lines only (history.h); knows nothing of the run that made them.
//
//   rule                what is wrong
//   unreadable          a line is no JSON, or lacks what its kind must have
//   cut_off             no line "run" at the beginning, or no "over" at the end
//   stale_write and others of cli/demo/hold_check.h: the holds, and the writes under them
//   starved             an ask was never answered, took too long though nothing had happened to its client or the
//                       server, or a client was not granted after the last fault
//   failed_ask          an ask ended with an error
//   died                a process ended that was not killed
//   left_node           something is in the queue after all clients have gone
//   empty_run           too few grants or faults for the run to show anything, or no late write was refused
//
// With a fence that works, stale_write cannot be; with a lock that works, overlapping_holds cannot.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "history.h"

namespace holdfast::testing {

struct CheckOptions {
  std::size_t least_grants = 40;
  // Of one ask, since the last fault of its own client or the server. Those of all clients ahead are included: each may
  // die as soon as it is granted, which takes a session.
  std::chrono::milliseconds longest_wait{20'000};
};

struct Violation {
  std::string rule;
  std::string what;
  std::vector<HistoryLine> lines;  // that show it; may be none
};

struct Figures {
  std::string run{};  // "seed 1, 60 s, 6 clients"
  std::size_t grants = 0;
  std::size_t timed_out = 0;
  std::size_t lost = 0;
  std::size_t admitted = 0;
  std::size_t refused = 0;
  std::size_t late = 0;
  std::size_t late_refused = 0;
  std::map<std::string, std::size_t> faults{};
  std::map<std::string, std::size_t> faults_at_holder{};
  std::size_t inherited = 0;           // grants after a hold that was not released
  std::optional<double> closest_ms{};  // of those: from the end of what was promised to the grant, the shortest
  double longest_wait_ms = 0;          // all in all
  std::size_t longest_wait_line = 0;
  double longest_calm_wait_ms = 0;  // since the last fault of its own
};

struct Report {
  Figures figures{};
  std::vector<Violation> violations{};

  bool ok() const noexcept { return violations.empty(); }
  bool has(const std::string& rule) const;
  // One line.
  std::string summary() const;
};

Report check(const std::vector<HistoryLine>& history, const CheckOptions& options = {});

}  // namespace holdfast::testing
