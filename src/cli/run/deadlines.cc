#include "cli/run/deadlines.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/config/setting_value.h"
#include "settings/duration.h"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

// Without overflow at both ends of time.
Clock::time_point before(Clock::time_point time, Clock::duration by) {
  if (time == Clock::time_point::max()) return time;
  return time.time_since_epoch() < by ? Clock::time_point{} : time - by;
}

Clock::time_point after(Clock::time_point time, Clock::duration by) {
  return Clock::time_point::max() - time < by ? Clock::time_point::max() : time + by;
}

}  // namespace

Clock::duration nominal_validity(Clock::duration session_timeout) { return session_timeout - session_timeout / 20; }

Clock::duration fit_kill_after(Clock::duration kill_after, Clock::duration validity) {
  const auto longest = largest_margin(validity) - kill_margin(validity);
  return std::clamp<Clock::duration>(kill_after, Clock::duration::zero(), std::max(longest, Clock::duration::zero()));
}

Clock::duration kill_margin(Clock::duration validity) {
  // A twentieth, as the lease itself keeps one; never so short that one late turn on the processor uses it up.
  return std::clamp<Clock::duration>(validity / 20, milliseconds(50), milliseconds(1'000));
}

Clock::duration largest_margin(Clock::duration validity) {
  // Leaves two fifths for heartbeats that are late. A lease of an ensemble is worth half a session when it is granted.
  return validity * 3 / 5;
}

tl::expected<Clock::duration, std::string> choose_kill_after(std::optional<Clock::duration> wanted,
                                                             Clock::duration validity) {
  constexpr auto kLongestByDefault = std::chrono::seconds(5);
  // When all is well a lease has at least three quarters of its validity left (two fifths on an ensemble), and a beat that is late
  // must not end anything.
  constexpr int kLargestPart = 3;
  if (!wanted) return std::min<Clock::duration>(validity / 4, kLongestByDefault);
  const auto longest = validity / kLargestPart;
  if (*wanted <= longest) return *wanted;
  return tl::unexpected(fmt::format(
      "--kill-after {} does not fit into a lock that is good for {} after the storage service was last heard; "
      "give at most {}, or a longer --session-timeout",
      show_seconds(*wanted), show_seconds(validity), show_seconds(longest)));
}

Deadlines plan_deadlines(const HoldTerms& terms, Clock::time_point valid_until) {
  Deadlines plan{terms.hold_until, after(terms.hold_until, terms.kill_after)};
  if (terms.on_lost == OnLost::ignore) return plan;
  const auto kill = before(valid_until, terms.margin);
  plan.kill = std::min(plan.kill, kill);
  if (terms.on_lost == OnLost::term) {
    plan.tell = std::min(plan.tell, before(kill, std::min(terms.kill_after, terms.notice)));
  }
  return plan;
}

HoldTerms widen_margin(HoldTerms terms, Clock::duration lateness) {
  const auto largest = std::max(terms.margin, terms.largest_margin);
  terms.margin = std::clamp(lateness, terms.margin, largest);
  terms.notice = largest - terms.margin;
  return terms;
}

Deadlines end_now(const HoldTerms& terms, Clock::time_point now) {
  if (terms.on_lost == OnLost::kill) return {Clock::time_point::max(), now};
  return {now, after(now, terms.kill_after)};
}

}  // namespace holdfast::cli
