// local_queue.h -- the local end of a queue: all threads of one client that want one name, in cohorts.
//
//     cohorts  [ A; B, C ]  [ D, E ]  [ F ]          one ticket each, in this order
//              exclusive     shared    exclusive
//
// A waiter joins the last cohort if it has the same mode and the cohort takes it; otherwise it is the first of a new cohort, with
// a ticket of its own. So all threads of one client that want to be exclusive share one ticket, as long as none of them wants to
// read. A ticket that is only kept (cohort.h) is given back when a waiter comes that it cannot serve.
//
// Everything here runs inside the Executor.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "lock/cohort.h"

namespace holdfast::lock {

class LocalQueue final : public Entrance, public std::enable_shared_from_this<LocalQueue> {
 public:
  using MakeCohort = std::function<std::shared_ptr<Cohort>(QueueRequest request, std::shared_ptr<KeepPolicy> keeping)>;

  struct Options {
    std::string queue;
    bool alone = false;    // every waiter gets a ticket of its own, so that the card says which thread it is
    bool may_keep = true;  // tickets may be kept that no thread uses
    HandOver hand_over{};  // of calls that say nothing else
  };

  LocalQueue(spi::Executor& executor, Options options, MakeCohort make_cohort)
      : executor_(executor), options_(std::move(options)), make_cohort_(std::move(make_cohort)) {}

  const std::string& queue() const { return options_.queue; }

  void enter(std::shared_ptr<Waiter> waiter) override;
  bool leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) override;

 private:
  void forget_idle();

  spi::Executor& executor_;
  const Options options_;
  const MakeCohort make_cohort_;
  std::shared_ptr<KeepPolicy> keeping_;  // once a waiter has come, unless tickets are never kept
  std::deque<std::shared_ptr<Cohort>> cohorts_;
};

}  // namespace holdfast::lock
