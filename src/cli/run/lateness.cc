#include "cli/run/lateness.h"

#include <algorithm>

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
  // Measured on two processors beside 16 busy processes: 50 ms at niceness 0, 900 ms at 19 if that counts.
  using std::chrono::milliseconds;
  return milliseconds(50) + std::clamp(niceness, 0, 19) * milliseconds(alone ? 5 : 25);
}

}  // namespace holdfast::cli
