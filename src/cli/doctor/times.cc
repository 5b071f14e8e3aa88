#include "cli/doctor/times.h"

#include <utility>

namespace holdfast::cli::doctor {
namespace {

// A lock costs at least one round trip; slower than this is another continent, or something is wrong.
constexpr std::chrono::milliseconds kSlow{50};
// A heartbeat is sent six times in a session timeout; an answer that takes as long as that is cause for concern.
constexpr int kBeatsPerTimeout = 6;

}  // namespace

void report_latency(const std::vector<Clock::duration>& pings, std::chrono::milliseconds session_timeout,
                    Findings& findings) {
  if (pings.empty()) return;
  const auto spread = spread_of(pings);
  Finding finding{"latency", State::ok, fmt::format("{} round trips: {}", pings.size(), to_string(spread))};
  if (spread.worst > session_timeout / kBeatsPerTimeout) {
    finding.state = State::warning;
    finding.fix = "ask for a longer --session-timeout, or holders will lose their locks";
  } else if (spread.median > kSlow) {
    finding.state = State::warning;
    finding.fix = "every lock costs at least one of these: use servers that are nearer";
  }
  findings.push_back(std::move(finding));
}

}  // namespace holdfast::cli::doctor
