#include "cli/run/lateness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/config/setting_value.h"
#include "settings/duration.h"

namespace holdfast::cli {
void Lateness::came(Clock::time_point due, Clock::time_point now) {
  constexpr auto kRemembered = std::chrono::minutes(1);
  if (now - turned_ >= kRemembered) {
    worst_ = {now - turned_ >= 2 * kRemembered ? Clock::duration::zero() : worst_[1], Clock::duration::zero()};
    turned_ = now;
  }
  worst_[1] = std::max(worst_[1], now - due);
}

Clock::duration Lateness::expected() const { return 2 * std::max({assumed_, worst_[0], worst_[1]}); }

Clock::duration assumed_lateness(int niceness, bool alone) {
  // Measured on two processors beside 16 busy processes: 50 ms at niceness 0. At 19, if that counts, sessions of 4 s were seen to be too short for a
  // margin of 1.05 s; so 1.2 s more are assumed there, and twice that is counted on. (Beside 16 at niceness 5 it was never that late, in 144 rounds.)
  using std::chrono::milliseconds;
  const int steps = std::clamp(niceness, 0, 19);
  if (alone) return milliseconds(50) + steps * milliseconds(5);
  // The kernel weighs a process by a quarter more for each step.
  constexpr double kPerWeight = 17.5;
  const milliseconds by_weight(std::lround(kPerWeight * (std::pow(1.25, steps) - 1)));
  return milliseconds(50) + std::max(steps * milliseconds(25), by_weight);
}

std::string what_it_can_keep(const LateRun& run) {
  const auto why = run.niceness
                       ? fmt::format("at niceness {} and without the right to raise its priority", *run.niceness)
                       : std::string("on a machine as busy as this one");
  const auto* right = run.niceness ? ", or CAP_SYS_NICE, RLIMIT_RTPRIO or RLIMIT_NICE" : "";
  const auto margin = std::max<Clock::duration>(run.largest_margin, std::chrono::milliseconds(1));
  const double times = std::chrono::duration<double>(run.lateness) / margin;
  const auto enough = std::chrono::ceil<std::chrono::seconds>(run.session_timeout * times);
  return fmt::format(
      "{} this run may get the processor {} late, so if the storage service falls silent, the command may run for {} "
      "after "
      "another client has the lock; give it --session-timeout {} or more{}",
      why, show_seconds(run.lateness), show_seconds(run.lateness - run.largest_margin), show_seconds(enough), right);
}

}  // namespace holdfast::cli
