// delay.h -- keeps the next holder out for a while after one that ended without releasing.
//
// A holder that asks for it leaves a mark in the queue beside its ticket, and removes it when it releases. Tickets go with their
// session, marks stay: a mark whose ticket is gone is that of a holder that did not come to release. A waiter that finds one when
// its turn comes waits, and then removes it.
//
// Everything here runs inside the Executor.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/clock.h"
#include "lock/claim.h"
#include "lock/context.h"
#include "lock/refusal.h"
#include "lock/retry_loop.h"

namespace holdfast::lock {

class Delay : public std::enable_shared_from_this<Delay> {
 public:
  // `claim` has been admitted.
  Delay(Context& context, const Claim& claim, Clock::duration delay);

  struct Told {
    std::function<void()> must_wait;                       // there is a mark; may not come
    std::function<void(std::optional<Refusal>)> may_hold;  // now, or never
  };
  // Leaves our mark, and waits if there are others.
  void wait(Told told);
  // Nothing is told any more, and our mark goes: we release, or give up before we held.
  void lift();
  // Nothing is told any more; our mark stays.
  void stop();

  void session_is_good() { retry_.session_is_good(); }

 private:
  void leave_mark();
  void look();
  void wait_out(std::vector<std::string> marks);
  RetryLoop::Step step(void (Delay::*member)());
  void end(std::optional<Refusal> refusal);

  Context& context_;
  const std::string queue_;
  const spi::Place place_;
  const Clock::duration delay_;
  Told told_;  // none once ended
  RetryLoop retry_;
};

}  // namespace holdfast::lock
