// retry_loop.h -- tries one step until the service has answered it: now, when there is a connection again, or after a pause.
//
//   state    means                                                       ends by
//   idle     no step waits: none was given, or it has run                after(), again(), when_connected()
//   paused   a step failed, and waits for the pause that the policy      the pause ends, or the session is good again
//            wants before the next attempt
//   held     a step waits for a connection, or for a session that is     the session is good again, or the wait is so long
//            provably alive                                              that it counts as a failed attempt
//
// Only here is the retry policy asked about requests. When it allows no further attempt, the owner is told once, and the step is
// forgotten.
//
// Everything here runs inside the Executor. While a step waits, its own shared_ptr keeps the owner of the loop alive; an owner that
// ends calls cancel().
#pragma once

#include <functional>
#include <string>

#include "lock/attempts.h"
#include "lock/context.h"
#include "lock/refusal.h"

namespace holdfast::lock {

class RetryLoop {
 public:
  using Step = std::function<void()>;
  using GiveUp = std::function<void(Refusal)>;

  RetryLoop(Context& context, GiveUp give_up);

  // Runs the step now, or as soon as there is a connection.
  void when_connected(Step step);
  // The step's request failed: runs the step again after the pause that the policy wants.
  void again(Step step, const std::string& why);
  // As again(), unless the service would give the same answer again: then there is no further attempt.
  void after(spi::Status status, const std::string& why, Step step);
  // The step has to wait until the session is good again.
  void hold(Step step, const std::string& why);

  // The session is connected again, or proven to be alive again.
  void session_is_good();
  // The service answered: earlier failures do not count any more.
  void progress() { attempts_ = {}; }
  // Forgets the step.
  void cancel();
  bool waits() const { return step_ != nullptr; }

 private:
  void wait(Step step, Clock::time_point until, Step then);

  Context& context_;
  const GiveUp give_up_;
  Attempts attempts_;
  Step step_;  // none: idle
  spi::Executor::TimerId timer_ = spi::Executor::kNoTimer;
};

}  // namespace holdfast::lock
