// owner.h -- one lock object: acquires and releases by the rules of ownership.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <tl/expected.hpp>

#include "holdfast/clock.h"
#include "lock/core.h"
#include "lock/hold_terms.h"
#include "lock/ownership.h"
#include "lock/subject.h"

namespace holdfast::lock {

class Owner {
 public:
  // How a new hold is acquired. Blocks.
  using Acquire = std::function<Outcome(Call)>;

  // `may_delay`: this kind of lock has a lock delay.
  Owner(std::shared_ptr<Core> core, Subject subject, bool reentrant, LockOptions options, Acquire acquire,
        bool may_delay = true)
      : core_(std::move(core)),
        subject_(std::make_shared<const Subject>(std::move(subject))),
        reentrant_(reentrant),
        terms_(core_->options(), subject_->names.front(), options, may_delay),
        acquire_(std::move(acquire)),
        ownership_(reentrant) {}

  using Way = Ownership::Way;

  // This thread enters once more.
  Outcome enter(Way way, Call call);
  // This thread leaves one lock(); any thread may if it is not re-entrant. not_owner, session_lost. `done`: as below.
  std::error_code leave(Sweeper::Done done = {});
  // One Lease of `hold` ends, in any thread. `done` runs when the name is free for rivals, or immediately if it stays held.
  std::error_code leave(const std::shared_ptr<Hold>& hold, Sweeper::Done done = {});
  // The lock object is destroyed: gives back what lock() still holds.
  void abandon() noexcept;

  bool is_held(bool by_this_thread) const {
    return ownership_.is_held(by_this_thread ? std::optional(this_thread()) : std::nullopt, core_->now());
  }
  // The hold that this thread has not left yet, lost or not; none if there is none.
  std::shared_ptr<Hold> kept_by_this_thread() const { return ownership_.kept_by(this_thread()); }
  const std::string& path() const { return subject_->path; }
  Core& core() const { return *core_; }

 private:
  // A new hold, through the handlers of the client if it has some: they are told of holds, and not of entries.
  Outcome acquire(Call call);
  std::error_code release(const std::shared_ptr<Hold>& hold, Sweeper::Done done);
  std::error_code let_go(const std::shared_ptr<Hold>& hold, bool last, Sweeper::Done done);

  const std::shared_ptr<Core> core_;
  const std::shared_ptr<const Subject> subject_;
  const bool reentrant_;
  HoldTerms terms_;
  const Acquire acquire_;  // passes by the handlers
  Ownership ownership_;
};

}  // namespace holdfast::lock
