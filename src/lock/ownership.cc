#include "lock/ownership.h"

#include <algorithm>
#include <utility>

namespace holdfast::lock {

void Ownership::count(Keeping& keeping, Way way) const {
  ++(way == Way::lock ? keeping.locks : keeping.leases);
  keeping.hold->set_entries(keeping.locks + keeping.leases);
  if (way == Way::lock && reentrant_) keeping.hold->set_bound(true);
}

std::optional<Ownership::Again> Ownership::enter_again(ThreadId thread, Way way, Clock::time_point now) {
  if (!reentrant_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto kept =
      std::find_if(keepings_.begin(), keepings_.end(), [&](const Keeping& k) { return k.thread == thread; });
  if (kept == keepings_.end()) return std::nullopt;
  if (!kept->hold->is_held(now)) return Again{kept->hold, /*lost=*/true};
  count(*kept, way);
  return Again{kept->hold};
}

void Ownership::add(HoldPtr hold, ThreadId thread, Way way) {
  const std::lock_guard lock(mutex_);
  count(keepings_.emplace_back(Keeping{.hold = std::move(hold), .thread = thread}), way);
}

std::optional<Ownership::Left> Ownership::leave(ThreadId thread) {
  const std::lock_guard lock(mutex_);
  auto kept = std::find_if(keepings_.begin(), keepings_.end(),
                           [&](const Keeping& k) { return k.locks > 0 && k.thread == thread; });
  if (kept == keepings_.end() && !reentrant_) {
    kept = std::find_if(keepings_.begin(), keepings_.end(), [](const Keeping& k) { return k.locks > 0; });
  }
  if (kept == keepings_.end()) return std::nullopt;
  if (--kept->locks == 0) kept->hold->set_bound(false);
  kept->hold->set_entries(kept->locks + kept->leases);
  Left left{kept->hold, kept->locks + kept->leases == 0};
  if (left.last) keepings_.erase(kept);
  return left;
}

bool Ownership::leave(const HoldPtr& hold) {
  const std::lock_guard lock(mutex_);
  const auto kept = std::find_if(keepings_.begin(), keepings_.end(), [&](const Keeping& k) { return k.hold == hold; });
  --kept->leases;
  hold->set_entries(kept->locks + kept->leases);
  const bool last = kept->locks + kept->leases == 0;
  if (last) keepings_.erase(kept);
  return last;
}

std::vector<Ownership::HoldPtr> Ownership::abandon() {
  std::vector<HoldPtr> left;
  const std::lock_guard lock(mutex_);
  std::erase_if(keepings_, [&](Keeping& kept) {
    if (std::exchange(kept.locks, 0) == 0) return false;
    kept.hold->set_bound(false);
    if (kept.leases > 0) return false;
    left.push_back(kept.hold);
    return true;
  });
  return left;
}

Ownership::HoldPtr Ownership::kept_by(ThreadId thread) const {
  const std::lock_guard lock(mutex_);
  const auto kept =
      std::find_if(keepings_.begin(), keepings_.end(), [&](const Keeping& k) { return k.thread == thread; });
  return kept == keepings_.end() ? nullptr : kept->hold;
}

bool Ownership::is_held(std::optional<ThreadId> thread, Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(keepings_.begin(), keepings_.end(), [&](const Keeping& kept) {
    return (!thread || kept.thread == *thread) && kept.hold->is_held(now);
  });
}

}  // namespace holdfast::lock
