#include "lock/owner.h"

#include <fmt/format.h>

#include "base/log.h"
#include "lock/passage.h"

namespace holdfast::lock {

namespace {

// How many bound holds this thread has, over all clients. A thread that has none is in no circle, which saves the search.
thread_local unsigned bound_holds = 0;

}  // namespace

Outcome Owner::enter(Way way, Call call) {
  const auto me = call.thread;
  const bool bound = way == Way::lock && reentrant_;
  if (const auto again = ownership_.enter_again(me, way, core_->now())) {
    if (again->lost) {
      return tl::unexpected(
          Refusal{Errc::session_lost,
                  fmt::format("this thread's hold of {} was lost; release it before acquiring again", path())});
    }
    if (bound) ++bound_holds;
    return again->hold;
  }
  terms_.apply(call);
  call.bound = bound;
  Outcome outcome = acquire(std::move(call));
  if (outcome) {
    ownership_.add(*outcome, me, way);
    if (bound) ++bound_holds;
  }
  return outcome;
}

Outcome Owner::acquire(Call call) {
  const auto ask = [this](Call asked) {
    asked.holds_others = bound_holds > 0;  // a handler may have acquired on the way
    return acquire_(std::move(asked));
  };
  if (!core_->chain()) return ask(std::move(call));
  const Acquire past_handlers = ask;
  return AcquireWalk(core_, subject_, past_handlers, std::move(call)).run();
}

std::error_code Owner::release(const std::shared_ptr<Hold>& hold, Sweeper::Done done) {
  if (hold->handled()) return ReleaseWalk(*core_, hold, std::move(done)).run(0);
  return core_->release(hold, std::move(done));
}

std::error_code Owner::leave(Sweeper::Done done) {
  const auto left = ownership_.leave(this_thread());
  if (!left) return Errc::not_owner;
  if (reentrant_) --bound_holds;
  return let_go(left->hold, left->last, std::move(done));
}

std::error_code Owner::leave(const std::shared_ptr<Hold>& hold, Sweeper::Done done) {
  return let_go(hold, ownership_.leave(hold), std::move(done));
}

std::error_code Owner::let_go(const std::shared_ptr<Hold>& hold, bool last, Sweeper::Done done) {
  if (last) return release(hold, std::move(done));
  if (done) done();
  return hold->is_held(core_->now()) ? std::error_code() : Errc::session_lost;
}

void Owner::abandon() noexcept {
  for (const auto& hold : ownership_.abandon()) {
    base::log().error("a lock object of {} was destroyed while locked; the lock was given back", path());
    release(hold, {});
  }
}

}  // namespace holdfast::lock
