#include "lock/owner.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"

namespace holdfast::lock {

namespace {

// How many bound holds this thread has, of whatever client. Only for a quick no: one that has none is in nobody's way.
thread_local unsigned bound_holds = 0;

}  // namespace

Outcome Owner::enter(Way way, Call call) {
  const auto me = call.thread;
  const auto count = [&](Keeping& keeping) {
    ++(way == Way::lock ? keeping.locks : keeping.leases);
    keeping.hold->set_entries(keeping.locks + keeping.leases);
    if (way != Way::lock || !reentrant_) return;
    keeping.hold->set_bound(true);
    ++bound_holds;
  };
  if (reentrant_) {
    const std::lock_guard lock(mutex_);
    const auto mine =
        std::find_if(keepings_.begin(), keepings_.end(), [&](const Keeping& k) { return k.thread == me; });
    if (mine != keepings_.end()) {
      // A hold that is gone must not be entered again: its owner would go on without protection.
      if (!mine->hold->is_held(core_->now())) {
        return tl::unexpected(
            Refusal{Errc::session_lost,
                    fmt::format("this thread's hold of {} was lost; release it before acquiring again", path_)});
      }
      count(*mine);
      return mine->hold;
    }
  }
  call.options = options_;
  call.bound = reentrant_ && way == Way::lock;
  call.holds_others = bound_holds > 0;
  Outcome outcome = acquire_(std::move(call));
  if (outcome) {
    const std::lock_guard lock(mutex_);
    count(keepings_.emplace_back(Keeping{.hold = *outcome, .thread = me}));
  }
  return outcome;
}

std::error_code Owner::leave(Sweeper::Done done) {
  const auto me = this_thread();
  std::shared_ptr<Hold> hold;
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    auto kept = std::find_if(keepings_.begin(), keepings_.end(),
                             [&](const Keeping& k) { return k.locks > 0 && k.thread == me; });
    if (kept == keepings_.end() && !reentrant_) {
      kept = std::find_if(keepings_.begin(), keepings_.end(), [](const Keeping& k) { return k.locks > 0; });
    }
    if (kept == keepings_.end()) return Errc::not_owner;
    hold = kept->hold;
    if (--kept->locks == 0) hold->set_bound(false);
    last = kept->locks + kept->leases == 0;
    hold->set_entries(kept->locks + kept->leases);
    if (last) keepings_.erase(kept);
  }
  if (reentrant_) --bound_holds;
  return let_go(hold, last, std::move(done));
}

std::error_code Owner::leave(const std::shared_ptr<Hold>& hold, Sweeper::Done done) {
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    const auto kept =
        std::find_if(keepings_.begin(), keepings_.end(), [&](const Keeping& k) { return k.hold == hold; });
    last = --kept->leases + kept->locks == 0;
    hold->set_entries(kept->locks + kept->leases);
    if (last) keepings_.erase(kept);
  }
  return let_go(hold, last, std::move(done));
}

std::error_code Owner::let_go(const std::shared_ptr<Hold>& hold, bool last, Sweeper::Done done) {
  if (last) return core_->release(hold, std::move(done));
  if (done) done();
  return hold->is_held(core_->now()) ? std::error_code() : Errc::session_lost;
}

void Owner::abandon() noexcept {
  std::vector<std::shared_ptr<Hold>> left;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(keepings_, [&](Keeping& kept) {
      if (std::exchange(kept.locks, 0) == 0) return false;
      kept.hold->set_bound(false);
      if (kept.leases > 0) return false;
      left.push_back(kept.hold);
      return true;
    });
  }
  for (const auto& hold : left) {
    base::log().error("a lock object of {} was destroyed while locked; the lock was given back", path_);
    core_->release(hold);
  }
}

std::shared_ptr<Hold> Owner::kept_by_this_thread() const {
  const auto me = this_thread();
  const std::lock_guard lock(mutex_);
  const auto mine = std::find_if(keepings_.begin(), keepings_.end(), [&](const Keeping& k) { return k.thread == me; });
  return mine == keepings_.end() ? nullptr : mine->hold;
}

bool Owner::is_held(bool by_this_thread) const {
  const auto me = this_thread();
  const std::lock_guard lock(mutex_);
  return std::any_of(keepings_.begin(), keepings_.end(), [&](const Keeping& kept) {
    return (!by_this_thread || kept.thread == me) && kept.hold->is_held(core_->now());
  });
}

}  // namespace holdfast::lock
