#include "hold_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace holdfast::testing {
namespace {

using cli::demo::HoldEvent;
using Kind = HoldEvent::Kind;

// A history counts in milliseconds from its start, with three decimals. Moved by a second, since zero means that a time is not told.
constexpr Clock::time_point kStart(std::chrono::seconds(1));

Clock::time_point time_of(const Json& entry, const char* member) {
  constexpr double kMicroseconds = 1'000;
  return kStart + std::chrono::microseconds(std::llround(entry.at(member).get<double>() * kMicroseconds));
}

}  // namespace

void HoldCheck::see(const HistoryLine& line) {
  const Json& entry = line.entry;
  const std::string what = entry.at("what");
  if (what != "granted" && what != "write" && what != "released" && what != "lost") return;
  HoldEvent event{.kind = Kind::granted,
                  .holder = fmt::format("{}/{}", entry.at("who").get<std::string>(), entry.at("life").get<int>()),
                  .token = entry.at("token").get<Token>(),
                  .at = time_of(entry, "at_ms")};
  if (what == "lost") {
    ++report_.figures.lost;
    return;
  }
  if (what == "released") {
    event.kind = Kind::released;
  } else {
    event.valid_until = time_of(entry, "valid_until_ms");
  }
  if (what == "granted") ++report_.figures.grants;
  if (what == "write") {
    const bool admitted = entry.at("admitted");
    const bool late = entry.at("late");
    event.kind = admitted ? Kind::wrote : Kind::refused;
    ++(admitted ? report_.figures.admitted : report_.figures.refused);
    if (late) ++report_.figures.late;
    if (late && !admitted) ++report_.figures.late_refused;
  }
  events_.push_back(std::move(event));
  lines_.push_back(line);
}

void HoldCheck::finish() {
  auto [holds, objections] = cli::demo::check_holds(events_);
  for (auto& [rule, what, events] : objections) {
    Violation violation{std::move(rule), std::move(what), {}};
    for (const auto number : events) violation.lines.push_back(lines_[number]);
    report_.violations.push_back(std::move(violation));
  }
  const cli::demo::CheckedHold* longest = nullptr;
  for (const auto& hold : holds) {
    if (longest != nullptr && longest->until() == longest->promised) {
      ++report_.figures.inherited;
      const double gap = std::chrono::duration<double, std::milli>(hold.from - longest->promised).count();
      report_.figures.closest_ms = std::min(report_.figures.closest_ms.value_or(gap), gap);
    }
    if (longest == nullptr || hold.until() > longest->until()) longest = &hold;
  }
}

}  // namespace holdfast::testing
