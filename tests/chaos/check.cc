#include "check.h"

#include <fmt/format.h>

#include <algorithm>

#include "hold_check.h"
#include "run_check.h"

namespace holdfast::testing {

bool Report::has(const std::string& rule) const {
  return std::any_of(violations.begin(), violations.end(), [&](const Violation& each) { return each.rule == rule; });
}

std::string Report::summary() const {
  std::string faults;
  for (const auto& [kind, count] : figures.faults) {
    const auto at_holder = figures.faults_at_holder.find(kind);
    faults += fmt::format(" {} {}", kind, count);
    if (at_holder != figures.faults_at_holder.end()) faults += fmt::format(" ({} at the holder)", at_holder->second);
  }
  return fmt::format(
      "{}: {}; {} grants, {} of them after a hold that was not released ({} ms after its end, at least), {} lost, {} "
      "timed "
      "out; writes: {} admitted, {} refused, {} late of which {} refused; "
      "faults:{}; longest wait {:.1f} s (line {}), {:.1f} s without trouble of its own",
      ok() ? "ok" : fmt::format("FAILED, {} violations", violations.size()), figures.run, figures.grants,
      figures.inherited, figures.closest_ms ? fmt::format("{:.0f}", *figures.closest_ms) : "-", figures.lost,
      figures.timed_out, figures.admitted, figures.refused, figures.late, figures.late_refused, faults,
      figures.longest_wait_ms / 1000, figures.longest_wait_line, figures.longest_calm_wait_ms / 1000);
}

Report check(const std::vector<HistoryLine>& history, const CheckOptions& options) {
  Report report;
  HoldCheck holds(report);
  RunCheck run(report, options);
  for (const HistoryLine& line : history) {
    try {
      holds.see(line);
      run.see(line);
    } catch (const Json::exception& error) {
      report.violations.push_back({"unreadable", error.what(), {line}});
    }
  }
  holds.finish();
  run.finish();
  return report;
}

}  // namespace holdfast::testing
