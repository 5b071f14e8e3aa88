// ownership.h -- which threads hold through one lock object, and how often each of them has entered.
//
//              enter_again(), same thread   leave(), the last entry   abandon()
//   kept       one entry more               gone: to be released      gone, unless a Lease is left
//   lost       refused: see there           gone: to be released      as above
//   not kept   nothing                      nothing: not the owner    nothing
//
// A hold is kept by the thread that acquired it, as often as that thread entered: by lock(), or with a Lease each. It ends with the last
// of these entries. A hold that was lost stays until its owner has left it.
//
// Thread safety: all members from any thread. It asks no clock.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "holdfast/clock.h"
#include "lock/call.h"
#include "lock/hold.h"

namespace holdfast::lock {

class Ownership {
 public:
  enum class Way { lock, lease };
  using HoldPtr = std::shared_ptr<Hold>;

  // Not re-entrant: a thread that enters twice has two holds, and any thread may leave.
  explicit Ownership(bool reentrant) : reentrant_(reentrant) {}

  struct Again {
    HoldPtr hold;
    bool lost = false;  // then not entered: its owner would go on without protection
  };
  // Enters the hold that this thread keeps once more; nothing if it keeps none.
  std::optional<Again> enter_again(ThreadId thread, Way way, Clock::time_point now);
  // A new hold of this thread, entered once.
  void add(HoldPtr hold, ThreadId thread, Way way);

  struct Left {
    HoldPtr hold;
    bool last = false;  // entry: the hold is to be released now
  };
  // Leaves one lock() of this thread or, if not re-entrant, of any thread. Nothing: there is none to leave.
  std::optional<Left> leave(ThreadId thread);
  // One Lease ends, in any thread. True: it was the last entry.
  bool leave(const HoldPtr& hold);
  // The lock object is destroyed: leaves every lock(). Returns the holds that are to be released.
  std::vector<HoldPtr> abandon();

  // The hold that this thread keeps, lost or not; none if it keeps none.
  HoldPtr kept_by(ThreadId thread) const;
  // By this thread, or by any.
  bool is_held(std::optional<ThreadId> thread, Clock::time_point now) const;

 private:
  struct Keeping {
    HoldPtr hold;
    ThreadId thread = 0;
    unsigned locks = 0;
    unsigned leases = 0;
  };

  void count(Keeping& keeping, Way way) const;

  const bool reentrant_;
  mutable std::mutex mutex_;
  std::vector<Keeping> keepings_;  // seldom more than one
};

}  // namespace holdfast::lock
