#include "lock/local_queue.h"

#include <algorithm>

namespace holdfast::lock {

void LocalQueue::enter(std::shared_ptr<Waiter> waiter) {
  std::erase_if(cohorts_, [](const auto& cohort) { return cohort->idle(); });
  const auto mode = waiter->call().mode;
  if (!cohorts_.empty() && !alone_ && cohorts_.back()->takes(*waiter)) return cohorts_.back()->enter(std::move(waiter));
  if (!waiter->patient()) {
    // What the threads of this client hold or want is known without a request.
    const auto in_the_way = std::find_if(cohorts_.begin(), cohorts_.end(),
                                         [&](const auto& cohort) { return keeps_out(cohort->mode(), mode); });
    if (in_the_way != cohorts_.end()) {
      return waiter->fail((*in_the_way)->busy(cohorts_.back()->ahead_of_newcomer()));
    }
  }
  cohorts_.push_back(make_cohort_({.queue = queue_, .mode = mode}));
  cohorts_.back()->enter(std::move(waiter));
}

bool LocalQueue::leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) {
  return std::any_of(cohorts_.begin(), cohorts_.end(),
                     [&](const auto& cohort) { return cohort->leave(waiter, refusal); });
}

}  // namespace holdfast::lock
