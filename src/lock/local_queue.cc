#include "lock/local_queue.h"

#include <algorithm>

namespace holdfast::lock {

void LocalQueue::forget_idle() {
  std::erase_if(cohorts_, [](const auto& cohort) { return cohort->idle(); });
}

void LocalQueue::enter(std::shared_ptr<Waiter> waiter) {
  forget_idle();
  const auto mode = waiter->call().mode;
  if (options_.may_keep && !options_.alone) {
    const auto& hand_over = waiter->call().hand_over.value_or(options_.hand_over);
    if (!keeping_) keeping_ = std::make_shared<KeepPolicy>(weak_from_this());
    keeping_->wanted(executor_.now(), !cohorts_.empty(),
                     hand_over.count > 0 ? hand_over.keep : std::chrono::milliseconds(0));
  }
  if (!cohorts_.empty() && !options_.alone && cohorts_.back()->takes(*waiter)) {
    return cohorts_.back()->enter(std::move(waiter));
  }
  for (const auto& cohort : cohorts_) cohort->give_back_kept();
  forget_idle();
  if (!waiter->patient()) {
    // What the threads of this client hold or want is known without a request.
    const auto in_the_way = std::find_if(cohorts_.begin(), cohorts_.end(),
                                         [&](const auto& cohort) { return keeps_out(cohort->mode(), mode); });
    if (in_the_way != cohorts_.end()) {
      return waiter->fail((*in_the_way)->busy(cohorts_.back()->ahead_of_newcomer()));
    }
  }
  cohorts_.push_back(make_cohort_({.queue = options_.queue, .mode = mode}, keeping_));
  cohorts_.back()->enter(std::move(waiter));
}

bool LocalQueue::leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) {
  return std::any_of(cohorts_.begin(), cohorts_.end(),
                     [&](const auto& cohort) { return cohort->leave(waiter, refusal); });
}

}  // namespace holdfast::lock
