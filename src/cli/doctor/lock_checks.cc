#include "cli/doctor/lock_checks.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cli/doctor/times.h"
#include "holdfast/client.h"
#include "holdfast/error.h"

namespace holdfast::cli::doctor {
namespace {

using std::chrono::milliseconds;
using WallClock = std::chrono::system_clock;

constexpr int kCycles = 10;
// A disk that syncs takes some milliseconds.
constexpr milliseconds kSlowCycle{250};
constexpr milliseconds kClocksApart{1'000};

std::string unused_name() {
  std::random_device random;
  return fmt::format("holdfast-doctor-{}-{:08x}", ::getpid(), random());
}

std::string place_of(const ServiceSettings& settings) {
  return settings.name_space.empty() ? "/" : settings.name_space;
}

// How far their clock was ahead of ours; nothing if the ticket was made between two looks at our own that far apart.
Clock::duration ahead(WallClock::time_point theirs, WallClock::time_point before, WallClock::time_point after) {
  if (theirs < before) return -(before - theirs);
  if (theirs > after) return theirs - after;
  return Clock::duration::zero();
}

void report_clock(Clock::duration apart, Findings& findings) {
  const double seconds = std::chrono::duration<double>(apart).count();
  if (apart <= kClocksApart && apart >= -kClocksApart) {
    findings.push_back({"clock", State::ok, "the service's clock and ours agree within a second"});
    return;
  }
  findings.push_back(
      {"clock", State::warning,
       fmt::format("the service's clock is {:.1f} s {} ours", std::abs(seconds), seconds > 0 ? "ahead of" : "behind"),
       "set both by NTP: locks do not depend on it, but what is said of their age does"});
}

void report_cycles(const std::vector<Clock::duration>& times, Findings& findings) {
  const auto spread = spread_of(times);
  Finding finding{"lock", State::ok, fmt::format("{} times taken and given back: {}", times.size(), to_string(spread))};
  if (spread.median > kSlowCycle) {
    finding.state = State::warning;
    finding.fix = "look at the disk of the server: it syncs every write";
  }
  findings.push_back(std::move(finding));
}

}  // namespace

void check_locks(const ServiceSettings& settings, Findings& findings) {
  try {
    auto client = connect(settings, {.purpose = "holdfast doctor"});
    const auto name = unused_name();
    auto mutex = client.mutex(name);
    std::vector<Clock::duration> times;
    std::optional<Clock::duration> apart;
    for (int i = 0; i < kCycles; ++i) {
      const auto wall_before = WallClock::now();
      const auto before = Clock::now();
      auto result = mutex.try_acquire_for(settings.connect_timeout);
      if (!result) throw Error(result.error(), result.message());
      const auto acquired = Clock::now();
      const auto wall_after = WallClock::now();
      if (i == 0) {
        const auto seen = client.inspect(name);
        if (seen.tickets.size() != 1) throw Error(Errc::refused, "a lock that was just taken is not listed");
        apart = ahead(seen.tickets.front().since, wall_before, wall_after);
      }
      const auto releasing = Clock::now();
      if (const auto error = result.lease().release_for(settings.connect_timeout)) {
        throw Error(error, "a lock cannot be given back: " + error.message());
      }
      times.push_back(acquired - before + (Clock::now() - releasing));
    }
    findings.push_back(
        {"permissions", State::ok, fmt::format("locks can be made, listed and removed below {}", place_of(settings))});
    report_cycles(times, findings);
    report_clock(*apart, findings);
  } catch (const Error& error) {
    const bool refused = error.code() == Errc::refused;
    findings.push_back(
        {"permissions", State::wrong, error.what(),
         refused && is_redis(settings) ? "see docs/backends/redis.md for the rights and settings it needs"
         : refused ? fmt::format("log in as a user that may create, read and delete below {} (--auth FILE), "
                                 "or change its ACL",
                                 place_of(settings))
                   : "try again; if it stays like this, look at the log of the server"});
  }
}

void check_own_clock(Findings& findings) {
  timespec time{};
  if (::clock_gettime(CLOCK_BOOTTIME, &time) == 0) {
    findings.push_back({"boot clock", State::ok, "this machine's clock for deadlines goes on while it is suspended"});
  } else {
    findings.push_back({"boot clock", State::wrong, "this machine has no CLOCK_BOOTTIME", "use Linux 2.6.39 or newer"});
  }
}

}  // namespace holdfast::cli::doctor
