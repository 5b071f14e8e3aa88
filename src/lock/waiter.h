// waiter.h -- one call of acquire, waiting for its outcome.
//
// Exactly one of three ends it: a grant, a failure, or the caller that gives up (deadline or stop request). The first
// wins; the others are told that they came too late.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>

#include "holdfast/clock.h"
#include "lock/call.h"
#include "lock/hold.h"
#include "lock/refusal.h"

namespace holdfast::lock {

using Outcome = tl::expected<std::shared_ptr<Hold>, Refusal>;

class Waiter {
 public:
  explicit Waiter(Call call) : call_(std::move(call)) {}

  const Call& call() const { return call_; }
  // Whether the caller waits for rivals.
  bool patient() const { return call_.patient(); }

  // False if the caller has given up: then nothing was granted.
  [[nodiscard]] bool grant(std::shared_ptr<Hold> hold) { return settle(Outcome(std::move(hold))); }
  void fail(Refusal refusal) { settle(Outcome(tl::unexpect, std::move(refusal))); }

  bool settled();
  // Waits for an outcome without giving up. False if the time came first.
  bool settled_by(Clock::time_point time);

  // Blocks until there is an outcome. Ends timed_out at `deadline` and cancelled when `stop` is requested.
  Outcome wait(Clock::time_point deadline, const std::stop_token& stop);

 private:
  bool settle(Outcome outcome);

  const Call call_;
  std::mutex mutex_;
  std::condition_variable settled_;
  std::optional<Outcome> outcome_;
};

}  // namespace holdfast::lock
