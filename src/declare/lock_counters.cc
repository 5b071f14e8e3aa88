#include <algorithm>

#include "base/name_pattern.h"
#include "declare/patterns.h"
#include "holdfast/handlers.h"

namespace holdfast {

void LockHistogram::add(Clock::duration duration) {
  std::size_t bucket = 0;
  while (bucket + 1 < kBuckets && duration > upper_bound(bucket)) ++bucket;
  ++buckets[bucket];
  ++count;
  sum += duration;
}

Clock::duration LockHistogram::upper_bound(std::size_t bucket) {
  if (bucket + 1 >= kBuckets) return Clock::duration::max();
  return std::chrono::microseconds(std::int64_t{1} << bucket);
}

Clock::duration LockHistogram::quantile(double part) const {
  if (count == 0) return {};
  const auto wanted = std::clamp(part, 0.0, 1.0) * static_cast<double>(count);
  std::uint64_t seen = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (buckets[i] == 0) continue;
    last = i;
    seen += buckets[i];
    if (static_cast<double>(seen) >= wanted) break;
  }
  return upper_bound(last);
}

struct LockCounters::Pattern {
  base::NamePattern names;
};

LockCounters::LockCounters(std::string_view pattern)
    : pattern_(std::make_unique<const Pattern>(Pattern{declare::parse_pattern(pattern)})) {}
LockCounters::~LockCounters() = default;

LockCounters::Counts LockCounters::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

AcquireOutcome LockCounters::acquire(const AcquireRequest& request, const AcquireNext& next) {
  if (!declare::matches_any(pattern_->names, request.names())) return next(request);
  const auto begin = Clock::now();
  const auto count = [&](auto&& what) {
    const std::lock_guard lock(mutex_);
    what();
  };
  count([&] { ++counts_.acquiring; });
  try {
    auto outcome = next(request);
    const auto took = Clock::now() - begin;
    count([&] {
      --counts_.acquiring;
      if (outcome) {
        ++counts_.acquired;
        ++counts_.held;
        counts_.wait.add(took);
      } else if (outcome.error() == Errc::timed_out) {
        ++counts_.timed_out;
      } else {
        ++counts_.failed;
      }
    });
    return outcome;
  } catch (...) {
    count([&] {
      --counts_.acquiring;
      ++counts_.thrown;
    });
    throw;
  }
}

void LockCounters::release(const HeldLock& held, const ReleaseNext& next) {
  if (!declare::matches_any(pattern_->names, held.names())) return;
  const auto lasted = Clock::now() - held.since();
  const bool was_held = !next();
  const std::lock_guard lock(mutex_);
  --counts_.held;
  if (was_held) ++counts_.released;
  counts_.hold.add(lasted);
}

void LockCounters::on_lost(const HeldLock& held) {
  if (!declare::matches_any(pattern_->names, held.names())) return;
  const std::lock_guard lock(mutex_);
  ++counts_.lost;
}

}  // namespace holdfast
