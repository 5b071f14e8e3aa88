#include "holdfast/clock.h"

#include <time.h>

namespace holdfast {

Clock::time_point Clock::now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace holdfast
