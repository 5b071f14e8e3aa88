// delay.h -- keeps the next holder out for a while after one that ended without releasing.
//
// A holder that asked for a lock delay leaves a mark in the queue beside its ticket, and removes it when it releases. Tickets go with
// their session, marks stay: a mark without its ticket means that the holder ended before it could release. A waiter that finds such a
// mark when its turn comes waits for the delay, and then removes the mark.
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
    std::function<void()> must_wait;                       // there is such a mark; may not be called
    std::function<void(std::optional<Refusal>)> may_hold;  // or why it may not
  };
  // Leaves this holder's mark, and waits if there are marks of dead holders.
  void wait(Told told);
  // Calls nothing any more, and removes the mark: the holder releases, or gives up before it held.
  void lift();
  // Calls nothing any more, and leaves the mark.
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
