// passage.h -- one acquire, and later one release, on its way through the handlers of a client.
//
//   acquire   handler 0 -> handler 1 -> the lock        outcome: <- handler 1 <- handler 0
//   release   handler 0 -> handler 1 -> the lock        all of them, whatever one of them does
//
// A walk lives on the stack of the call that makes it, and with it everything that knows how far the call has come: the handlers are shared
// by all calls and know nothing of it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <system_error>

#include "holdfast/handler.h"
#include "lock/core.h"
#include "lock/handled.h"
#include "lock/subject.h"

namespace holdfast::lock {

// A hold that was granted and is on its way back to its caller. Destroyed on the way, it is given back.
class Passage {
 public:
  Passage(std::shared_ptr<Core> core, std::shared_ptr<Hold> hold)
      : core_(std::move(core)), hold_(std::move(hold)), level_(hold_->handled()->chain().size()) {}
  ~Passage();
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

  const std::shared_ptr<Hold>& hold() const { return hold_; }
  Handled& handled() const { return *hold_->handled(); }
  // The handlers from this one on have returned the hold.
  std::size_t level() const { return level_; }
  void reached(std::size_t level) { level_ = level; }
  // The end of the way: the hold is the caller's.
  std::shared_ptr<Hold> arrive() { return std::move(hold_); }

 private:
  const std::shared_ptr<Core> core_;
  std::shared_ptr<Hold> hold_;  // none once it has arrived
  std::size_t level_;
};

class AcquireWalk {
 public:
  using Acquire = std::function<Outcome(Call)>;

  // All but the call are kept by the caller. The core has a chain.
  AcquireWalk(const std::shared_ptr<Core>& core, const std::shared_ptr<const Subject>& subject, const Acquire& acquire,
              Call call)
      : core_(core), subject_(subject), acquire_(acquire), call_(std::move(call)), chain_(*core->chain()) {}

  // What a handler throws, unless it is an Error.
  Outcome run();
  // For AcquireNext.
  AcquireOutcome enter(std::size_t level, const AcquireRequest& request);

 private:
  AcquireRequest first_request() const;
  AcquireOutcome take(const AcquireRequest& request);

  const std::shared_ptr<Core>& core_;
  const std::shared_ptr<const Subject>& subject_;
  const Acquire& acquire_;
  const Call call_;
  const Chain& chain_;
};

class ReleaseWalk {
 public:
  ReleaseWalk(Core& core, const std::shared_ptr<Hold>& hold, Sweeper::Done done)
      : core_(core), hold_(hold), handled_(*hold->handled()), done_(std::move(done)) {}

  // The handlers from `level` on, and then the lock.
  std::error_code run(std::size_t level) noexcept;
  // For ReleaseNext.
  std::error_code enter(std::size_t level) noexcept;

 private:
  void tell(std::size_t level) noexcept;

  Core& core_;
  const std::shared_ptr<Hold>& hold_;
  Handled& handled_;
  Sweeper::Done done_;
  std::size_t first_ = 0;
  std::size_t next_ = 0;  // the first that was not told
  std::error_code result_;
};

}  // namespace holdfast::lock
