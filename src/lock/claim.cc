#include "lock/claim.h"

#include <fmt/format.h>

#include "base/log.h"
#include "base/uuid.h"

namespace holdfast::lock {

using spi::Status;

namespace {

// A rule of the user's must not end the process from within our thread.
std::optional<RetryPolicy::Duration> next_delay(const RetryPolicy& policy, unsigned failures,
                                                RetryPolicy::Duration elapsed) {
  try {
    return policy.next(failures, elapsed);
  } catch (const std::exception& error) {
    base::log().error("a retry policy threw ({}); giving up", error.what());
    return std::nullopt;
  }
}

}  // namespace

Claim::Claim(Means& means, std::shared_ptr<Claimant> claimant, std::string queue, Rule rule, Card card)
    : means_(means), claimant_(std::move(claimant)), queue_(std::move(queue)), rule_(rule), card_(std::move(card)) {}

void Claim::start() { when_connected(&Claim::enqueue); }

// ---------------------------------------------------------------------------------------------------- getting a ticket

void Claim::enqueue() {
  if (uid_.empty()) uid_ = base::random_uuid();
  ++episode_;
  state_ = State::enqueueing;
  asked_in_ = means_.session.id();
  means_.backend.enqueue(queue_, {.uid = uid_, .shared = rule_.shared, .card = card_.to_text()},
                         [self = shared_from_this(), episode = episode_, uid = uid_, asked_in = asked_in_](auto reply) {
                           if (!self->is_current(episode)) return self->clean_up(reply, uid, asked_in);
                           self->on_placed(std::move(reply), false);
                         });
}

// The reply to an enqueue() that nobody waits for any more.
void Claim::clean_up(const spi::Reply<spi::Enqueued>& reply, const std::string& uid, spi::SessionId asked_in) {
  if (reply.value.place.session != 0) {
    means_.sweeper.remove(queue_, reply.value.place);
  } else if (reply.status == Status::unknown) {
    means_.sweeper.remove_if_made(queue_, uid, asked_in);
  }
}

void Claim::find() {
  if (asked_in_ != means_.session.id()) return requeue();  // whatever was made then died with its session
  means_.backend.find(queue_, uid_, [self = shared_from_this(), episode = episode_](auto reply) {
    if (self->is_current(episode)) self->on_placed(std::move(reply), true);
  });
}

void Claim::on_placed(spi::Reply<spi::Enqueued> reply, bool finding) {
  if (reply.value.place.session != 0) {
    state_ = State::placed;
    place_ = std::move(reply.value.place);
  }
  const bool placed = state_ == State::placed;
  switch (reply.status) {
    case Status::ok: break;
    case Status::absent:  // it was never made
      state_ = State::detached;
      return enqueue();
    case Status::unknown:
      if (!placed) state_ = State::unsure;
      return again_later(placed ? &Claim::list : &Claim::find, reply.detail);
    case Status::unreachable:
      if (!placed && !finding) state_ = State::detached;
      return again_later(placed ? &Claim::list : finding ? &Claim::find : &Claim::enqueue, reply.detail);
    case Status::expired: state_ = State::detached; return again_later(&Claim::enqueue, reply.detail);
    case Status::denied:
      // A refused find leaves us unsure; a refused create made nothing.
      if (!placed && !finding) state_ = State::detached;
      return fail(Errc::refused, reply.detail);
    case Status::closed: return fail(Errc::cancelled, "the client was closed");
  }
  if (place_.session != means_.session.id()) return requeue();
  if (near_overflow(place_.ticket.sequence)) {
    return fail(Errc::refused,
                fmt::format("the queue {} has handed out ticket {}, too close to the end of its 32-bit counter to stay "
                            "in order; remove the empty node so that it starts anew",
                            means_.backend.path(queue_), place_.ticket.sequence));
  }
  progress();
  consider(reply.value.queue);
}

void Claim::requeue() {
  ++episode_;
  stop_listening();
  forget_pending();
  state_ = State::detached;
  uid_.clear();
  place_ = {};
  when_connected(&Claim::enqueue);
}

// ---------------------------------------------------------------------------------------------------- waiting our turn

void Claim::list() {
  if (place_.session != means_.session.id()) return requeue();
  state_ = State::placed;
  means_.backend.list(queue_, [self = shared_from_this(), episode = episode_](const auto& reply) {
    if (!self->is_current(episode)) return;
    switch (reply.status) {
      case Status::ok: self->progress(); return self->consider(reply.value);
      case Status::absent: return self->requeue();
      case Status::unknown:
      case Status::unreachable:
      case Status::expired: return self->again_later(&Claim::list, reply.detail);
      case Status::denied: return self->fail(Errc::refused, reply.detail);
      case Status::closed: return self->fail(Errc::cancelled, "the client was closed");
    }
  });
}

void Claim::consider(const spi::Listing& queue) {
  const Admission admission = admit(queue, place_.ticket.id, rule_);
  ahead_ = admission.ahead;
  last_obstacle_ = admission.last_obstacle;
  switch (admission.answer) {
    case Admission::Answer::absent: return requeue();  // somebody removed our ticket
    case Admission::Answer::admitted: return admit_now();
    case Admission::Answer::wait: break;
  }
  claimant_->must_wait(*this);
  if (state_ == State::ended) return;
  listen(queue[admission.listen_to], admission.listen_to == 0);
  if (admission.listen_to != 0) ask_for_holder(queue.front());
}

void Claim::listen(const spi::Ticket& to, bool is_holder) {
  ++episode_;
  listener_ = means_.backend.listen(
      queue_, to.id,
      [self = shared_from_this(), episode = episode_, is_holder](const auto& reply) {
        if (!self->is_current(episode)) return;
        switch (reply.status) {
          case Status::ok:
            self->state_ = State::waiting;
            if (is_holder) self->holder_ = Card::parse(reply.value);
            return self->progress();
          case Status::absent: return self->on_told(Status::absent);
          case Status::unknown:
          case Status::unreachable:
          case Status::expired: self->listener_ = 0; return self->again_later(&Claim::list, reply.detail);
          case Status::denied: return self->fail(Errc::refused, reply.detail);
          case Status::closed: return self->fail(Errc::cancelled, "the client was closed");
        }
      },
      [self = shared_from_this(), episode = episode_](Status status) {
        if (self->is_current(episode)) self->on_told(status);
      });
}

// The one we listen to is not the holder, so its card does not say who is. One read, so that a caller who times out can
// be told.
void Claim::ask_for_holder(const spi::Ticket& first) {
  means_.backend.read(queue_, first.id, [self = shared_from_this(), episode = episode_](const auto& reply) {
    if (reply && self->is_current(episode)) self->holder_ = Card::parse(reply.value);
  });
}

void Claim::on_told(Status status) {
  ++episode_;
  listener_ = 0;
  // No smaller ticket can come into the queue after our own. So if the last one that stood in our way is gone, it is our turn,
  // and asking again would cost a round trip.
  if (status == Status::absent && last_obstacle_ && place_.session == means_.session.id() && means_.session.valid()) {
    return admit_now();
  }
  list();
}

void Claim::admit_now() {
  // The answer may be old: this process was stopped, or the network was slow. Only what the service says now counts.
  if (!means_.session.valid()) return hold_on(&Claim::list, "the session could not be proven to be alive");
  state_ = State::admitted;
  ahead_ = 0;
  claimant_->admitted(*this);
}

void Claim::beat() {
  if (state_ != State::placed && state_ != State::waiting && state_ != State::admitted) return;
  means_.backend.check(queue_, place_.ticket.id, [self = shared_from_this(), id = place_.ticket.id](const auto& reply) {
    if (reply.status != Status::absent || self->state_ == State::ended) return;
    if (self->place_.ticket.id != id) return;  // an older ticket of ours
    if (self->state_ != State::admitted) return self->requeue();
    const auto claimant = self->claimant_;
    self->end();
    claimant->broken(*self);
  });
}

// ------------------------------------------------------------------------------------- when the service is out of reach

void Claim::session_disconnected() {
  // Requests under way end by themselves. A waiter has none.
  if (state_ == State::waiting && pending_ == nullptr) again_later(&Claim::resume, "the connection was lost");
}

void Claim::session_is_good() {
  if (pending_ == nullptr || !means_.session.connected()) return;
  const auto step = pending_;
  forget_pending();
  (this->*step)();
}

void Claim::forget_pending() {
  means_.executor.cancel(timer_);
  timer_ = spi::Executor::kNoTimer;
  pending_ = nullptr;
}

// A waiter, connected again.
void Claim::resume() {
  if (place_.session != means_.session.id()) return requeue();
  progress();  // the listener has outlived the connection
}

void Claim::when_connected(Step step) {
  if (means_.session.connected()) return (this->*step)();
  hold_on(step, "no connection");
}

// Until the session is good; that counts as a failed attempt if it takes too long.
void Claim::hold_on(Step step, const std::string& why) {
  pending_ = step;
  timer_ =
      means_.executor.at(means_.executor.now() + means_.connection_timeout, [self = shared_from_this(), step, why] {
        self->forget_pending();
        self->again_later(step, why);
      });
}

void Claim::again_later(Step step, const std::string& why) {
  const auto now = means_.executor.now();
  if (failures_++ == 0) first_failure_ = now;
  trouble_ = why;
  const auto elapsed = std::chrono::duration_cast<RetryPolicy::Duration>(now - first_failure_);
  const auto delay = next_delay(means_.retry, failures_, elapsed);
  if (!delay) {
    return fail(Errc::not_connected, fmt::format("the service could not be reached, {} attempt{} in {} ms: {}",
                                                 failures_, failures_ == 1 ? "" : "s", elapsed.count(), trouble_));
  }
  pending_ = step;
  timer_ = means_.executor.at(now + *delay, [self = shared_from_this(), step] {
    self->forget_pending();
    self->when_connected(step);
  });
}

void Claim::progress() { failures_ = 0; }

// -------------------------------------------------------------------------------------------------------------- the end

void Claim::give_up(Sweeper::Done done) {
  switch (state_) {
    case State::ended:
    case State::detached:
    case State::enqueueing:  // clean_up() sees to it
      break;
    case State::unsure: means_.sweeper.remove_if_made(queue_, uid_, asked_in_); break;
    case State::placed:
    case State::waiting:
    case State::admitted: means_.sweeper.remove(queue_, place_, std::exchange(done, {})); break;
  }
  end();
  if (done) done();
}

void Claim::fail(std::error_code code, std::string message) {
  Refusal refusal{code, std::move(message), holder_, state_ == State::placed ? std::optional(ahead_) : std::nullopt};
  const auto claimant = claimant_;
  give_up();
  claimant->failed(*this, std::move(refusal));
}

void Claim::end() {
  ++episode_;
  stop_listening();
  forget_pending();
  state_ = State::ended;
  claimant_.reset();
}

void Claim::stop_listening() {
  if (listener_ != 0) means_.backend.ignore(std::exchange(listener_, 0));
}

}  // namespace holdfast::lock
