// local_queue.h -- the local end of a queue: all threads of one client that want one name, in cohorts.
//
//     cohorts  [ A; B, C ]  [ D, E ]  [ F ]          one ticket each, in this order
//              exclusive     shared    exclusive
//
// A waiter joins the last cohort if it has the same mode and the cohort takes it; otherwise it is the first of a new cohort, with
// a ticket of its own. So all threads of one client that want to be exclusive share one ticket, as long as none of them wants to
// read.
//
// Everything here runs inside the Executor.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "lock/cohort.h"

namespace holdfast::lock {

class LocalQueue final : public Entrance {
 public:
  using MakeCohort = std::function<std::shared_ptr<Cohort>(QueueRequest request)>;

  // `alone`: every waiter gets a ticket of its own, so that the card says which thread it is.
  LocalQueue(std::string queue, bool alone, MakeCohort make_cohort)
      : queue_(std::move(queue)), alone_(alone), make_cohort_(std::move(make_cohort)) {}

  const std::string& queue() const { return queue_; }

  void enter(std::shared_ptr<Waiter> waiter) override;
  bool leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) override;

 private:
  const std::string queue_;
  const bool alone_;
  const MakeCohort make_cohort_;
  std::deque<std::shared_ptr<Cohort>> cohorts_;
};

}  // namespace holdfast::lock
