// fault_rule_state.h -- a rule as the proxy sees it. Not for tests.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "fault_rule.h"

namespace holdfast::testing {

struct Rule::State {
  // Touched by the proxy's thread only.
  RequestMatch match;
  Verdict verdict;
  int matched = 0;  // requests that were accepted so far, struck or not

  mutable std::mutex mutex;  // guards what follows
  mutable std::condition_variable changed;
  int times_fired = 0;
  std::optional<Clock::time_point> fired_at;
  bool cancelled = false;
  std::function<void()> release;  // goes to the proxy; harmless once that is gone

  // Counts the request; true if this rule decides it.
  bool strikes(const Request& request);
  void fire();
};

}  // namespace holdfast::testing
