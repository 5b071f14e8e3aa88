#include "oracle.h"

#include <fmt/format.h>

#include <algorithm>

#include "virtual_executor.h"

namespace holdfast::simulation {

void Oracle::note(const std::string& line) {
  trace_.push_back(fmt::format("{:>15} {}", timeline_.now().count(), line));
}

void Oracle::object(const std::string& why) {
  note("OBJECTION " + why);
  objections_.push_back(trace_.back());
}

void Oracle::granted(const Holder& holder) {
  const auto token = holder.hold->token();
  note(fmt::format("{} has {} ({}, token {})", holder.who, holder.name, holder.shared ? "shared" : "alone", token));
  for (const auto& other : holders_[holder.name]) {
    if (holder.shared && other.shared) continue;
    if (!other.hold->lost().stop_requested() && !other.process->is_paused()) {
      object(fmt::format("{} was granted {} before {} was told of its loss", holder.who, holder.name, other.who));
    }
  }
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
  holders_[holder.name].push_back(holder);
  look();
}

void Oracle::over(const lock::Hold& hold) {
  for (auto& [name, holders] : holders_) {
    std::erase_if(holders, [&](const Holder& each) { return each.hold.get() == &hold; });
  }
}

void Oracle::look() {
  for (const auto& [name, holders] : holders_) {
    if (holders.size() < 2) continue;
    for (auto a = holders.begin(); a != holders.end(); ++a) {
      if (!a->hold->is_held(a->clock->now())) continue;
      for (auto b = std::next(a); b != holders.end(); ++b) {
        if ((a->shared && b->shared) || !b->hold->is_held(b->clock->now())) continue;
        object(fmt::format("{} and {} hold {} at one moment", a->who, b->who, name));
      }
    }
  }
}

}  // namespace holdfast::simulation
