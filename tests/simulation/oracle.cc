#include "oracle.h"

#include <fmt/format.h>

#include <algorithm>

#include "virtual_executor.h"

namespace holdfast::simulation {
namespace {

// A clock is off by less than this part.
constexpr int kClockTolerance = 50;

}  // namespace

void Oracle::note(const std::string& line) {
  trace_.push_back(fmt::format("{:>15} {}", timeline_.now().count(), line));
}

void Oracle::object(const std::string& why) {
  note("OBJECTION " + why);
  objections_.push_back(trace_.back());
}

void Oracle::granted(const Holder& holder) {
  note(fmt::format("{} has {} ({}, token {})", holder.who, holder.name,
                   holder.of > 0   ? fmt::format("{} permits", holder.permits)
                   : holder.shared ? "shared"
                                   : "alone",
                   holder.hold->token()));
  if (!holder.hold->is_held(holder.clock->now())) {
    object(fmt::format("{} was granted {}, which it does not hold", holder.who, holder.name));
  }
  // Those that believe to hold, and could know better.
  std::size_t permits = holder.permits;
  for (const auto& other : holders_[holder.name]) {
    if (other.hold->lost().stop_requested() || other.process->is_paused()) continue;
    permits += other.permits;
    if (exclude(holder, other)) {
      object(fmt::format("{} was granted {} before {} was told of its loss", holder.who, holder.name, other.who));
    }
  }
  if (permits > holder.of) {
    object(fmt::format("{} was granted permits of {} before other clients were told of their loss: {} of {}",
                       holder.who, holder.name, permits, holder.of));
  }
  if (holder.of == 0) check_tokens(holder);
  check_delay(holder);
  holders_[holder.name].push_back(holder);
  look();
}

void Oracle::check_tokens(const Holder& holder) {
  const auto token = holder.hold->token();
  auto& before = granted_[holder.name];
  // One ticket may pass through several threads of one client.
  const bool handed_over = token == before.newest && holder.client == before.by;
  const auto bound = holder.shared ? before.newest_exclusive : before.newest;
  if (token <= bound && !handed_over) {
    object(fmt::format("{} has token {} of {}, which is not above {}", holder.who, token, holder.name, bound));
  }
  before.newest = std::max(before.newest, token);
  if (!holder.shared) before.newest_exclusive = std::max(before.newest_exclusive, token);
  before.by = holder.client;
}

void Oracle::check_delay(const Holder& holder) {
  auto& not_before = granted_[holder.name].not_before;
  if (timeline_.now() < not_before) {
    object(fmt::format("{} was granted {} before the delay of a holder that did not release was over", holder.who,
                       holder.name));
  }
  not_before = Moment::min();
}

void Oracle::over(const lock::Hold& hold) {
  for (auto& [name, holders] : holders_) {
    std::erase_if(holders, [&](const Holder& each) { return each.hold.get() == &hold; });
  }
}

// A client that stands still may notice late, also after the next one was granted: then that one has waited already.
void Oracle::ends_without_release(const lock::Hold& hold) {
  for (const auto& [name, holders] : holders_) {
    for (const auto& each : holders) {
      auto& granted = granted_[name];
      if (each.hold.get() != &hold || each.delay == Moment{0} || granted.newest != hold.token()) continue;
      // By the clocks of the one that held and of the one that waits, which may be off.
      const Moment late = std::max(Moment{0}, Moment(each.clock->now() - hold.valid_until()));
      granted.not_before = timeline_.now() - late - late / kClockTolerance + each.delay - each.delay / kClockTolerance;
    }
  }
}

void Oracle::forget_delays() {
  for (auto& [name, granted] : granted_) granted.not_before = Moment::min();
}

void Oracle::look() {
  for (const auto& [name, holders] : holders_) {
    if (holders.size() < 2) continue;
    std::size_t permits = 0;
    for (auto a = holders.begin(); a != holders.end(); ++a) {
      if (!a->hold->is_held(a->clock->now())) continue;
      permits += a->permits;
      if (permits > a->of) object(fmt::format("{} of {} permits of {} are held at one moment", permits, a->of, name));
      for (auto b = std::next(a); b != holders.end(); ++b) {
        if (!exclude(*a, *b) || !b->hold->is_held(b->clock->now())) continue;
        object(fmt::format("{} and {} hold {} at one moment", a->who, b->who, name));
      }
    }
  }
}

}  // namespace holdfast::simulation
