#include "lock/claim.h"

#include <fmt/format.h>

#include "base/log.h"
#include "base/uuid.h"

namespace holdfast::lock {

using spi::Status;

Claim::Claim(Means& means, Claimant& claimant, std::string queue, Rule rule, Card card)
    : means_(means), claimant_(claimant), queue_(std::move(queue)), rule_(rule), card_(std::move(card)) {}

void Claim::start() { when_connected(&Claim::enqueue); }

// ---------------------------------------------------------------------------------------------------- getting a ticket

void Claim::enqueue() {
  if (uid_.empty()) uid_ = base::random_uuid();
  state_ = State::enqueueing;
  asked_in_ = means_.session.id();
  means_.backend.enqueue(queue_, {.uid = uid_, .shared = rule_.shared, .card = card_.to_text()},
                         [self = shared_from_this()](auto reply) { self->on_placed(std::move(reply), false); });
}

void Claim::find() {
  if (asked_in_ != means_.session.id()) return requeue();  // whatever was made then died with its session
  means_.backend.find(queue_, uid_, [self = shared_from_this(), episode = episode_](auto reply) {
    if (self->is_current(episode)) self->on_placed(std::move(reply), true);
  });
}

void Claim::on_placed(spi::Reply<spi::Enqueued> reply, bool finding) {
  if (state_ == State::ended) {
    // We gave up while the request was under way.
    if (reply) means_.sweeper.remove(queue_, reply.value.place);
    if (reply.status == Status::unknown) means_.sweeper.remove_if_made(queue_, uid_, asked_in_);
    return;
  }
  switch (reply.status) {
    case Status::ok: break;
    case Status::absent:  // it was never made
      state_ = State::detached;
      return enqueue();
    case Status::unknown: state_ = State::unsure; return again_later(&Claim::find, reply.detail);
    case Status::unreachable:
      if (!finding) state_ = State::detached;
      return again_later(finding ? &Claim::find : &Claim::enqueue, reply.detail);
    case Status::expired: state_ = State::detached; return again_later(&Claim::enqueue, reply.detail);
    case Status::denied: return fail(Errc::refused, reply.detail);
    case Status::closed: return fail(Errc::cancelled, "the client was closed");
  }
  state_ = State::placed;
  place_ = std::move(reply.value.place);
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
  claimant_.must_wait(*this);
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
          case Status::absent: return self->on_gone();
          case Status::unknown:
          case Status::unreachable:
          case Status::expired: self->listener_ = 0; return self->again_later(&Claim::list, reply.detail);
          case Status::denied: return self->fail(Errc::refused, reply.detail);
          case Status::closed: return self->fail(Errc::cancelled, "the client was closed");
        }
      },
      [self = shared_from_this(), episode = episode_] {
        if (self->is_current(episode)) self->on_gone();
      });
}

// The one we listen to is not the holder, so its card does not say who is. One read, so that a caller who times out can
// be told.
void Claim::ask_for_holder(const spi::Ticket& first) {
  means_.backend.read(queue_, first.id, [self = shared_from_this(), episode = episode_](const auto& reply) {
    if (reply && self->is_current(episode)) self->holder_ = Card::parse(reply.value);
  });
}

void Claim::on_gone() {
  ++episode_;
  listener_ = 0;
  // No smaller ticket can come into the queue after our own. So if this was the last one that stood in our way, it is our
  // turn, and asking again would cost a round trip.
  if (last_obstacle_ && place_.session == means_.session.id() && means_.session.valid()) return admit_now();
  list();
}

void Claim::admit_now() {
  // The answer may be old: this process was stopped, or the network was slow. Only what the service says now counts.
  if (!means_.session.valid()) return again_later(&Claim::list, "the session could not be proven to be alive");
  state_ = State::admitted;
  ahead_ = 0;
  claimant_.admitted(*this);
}

bool Claim::beat() {
  if (state_ != State::placed && state_ != State::waiting && state_ != State::admitted) return false;
  means_.backend.read(queue_, place_.ticket.id, [self = shared_from_this(), id = place_.ticket.id](const auto& reply) {
    if (reply.status != Status::absent || self->state_ == State::ended) return;
    if (self->place_.ticket.id != id) return;  // an older ticket of ours
    if (self->state_ != State::admitted) return self->requeue();
    self->end();
    self->claimant_.broken(*self);
  });
  return true;
}

// ------------------------------------------------------------------------------------- when the service is out of reach

void Claim::session_disconnected() {
  // Requests under way end by themselves. A waiter has none.
  if (state_ == State::waiting && pending_ == nullptr) again_later(&Claim::resume, "the connection was lost");
}

void Claim::session_connected() {
  if (pending_ == nullptr) return;
  means_.executor.cancel(timer_);
  timer_ = spi::Executor::kNoTimer;
  (this->*std::exchange(pending_, nullptr))();
}

// A waiter, connected again.
void Claim::resume() {
  if (place_.session != means_.session.id()) return requeue();
  progress();  // the listener has outlived the connection
}

void Claim::when_connected(Step step) {
  if (means_.session.connected()) return (this->*step)();
  pending_ = step;
  timer_ = means_.executor.at(means_.executor.now() + means_.connection_timeout, [self = shared_from_this(), step] {
    self->timer_ = spi::Executor::kNoTimer;
    self->pending_ = nullptr;
    self->again_later(step, "no connection");
  });
}

void Claim::again_later(Step step, const std::string& why) {
  const auto now = means_.executor.now();
  if (failures_++ == 0) first_failure_ = now;
  trouble_ = why;
  const auto elapsed = std::chrono::duration_cast<RetryPolicy::Duration>(now - first_failure_);
  const auto delay = means_.retry.next(failures_, elapsed);
  if (!delay) {
    return fail(Errc::not_connected, fmt::format("the service could not be reached, {} attempt{} in {} ms: {}",
                                                 failures_, failures_ == 1 ? "" : "s", elapsed.count(), trouble_));
  }
  pending_ = step;
  timer_ = means_.executor.at(now + *delay, [self = shared_from_this(), step] {
    self->timer_ = spi::Executor::kNoTimer;
    self->pending_ = nullptr;
    self->when_connected(step);
  });
}

void Claim::progress() { failures_ = 0; }

// -------------------------------------------------------------------------------------------------------------- the end

void Claim::give_up(Sweeper::Done done) {
  switch (state_) {
    case State::ended:
    case State::detached:
    case State::enqueueing:  // on_placed() sees to it
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
  give_up();
  claimant_.failed(*this, std::move(refusal));
}

void Claim::end() {
  ++episode_;
  stop_listening();
  means_.executor.cancel(timer_);
  timer_ = spi::Executor::kNoTimer;
  pending_ = nullptr;
  state_ = State::ended;
}

void Claim::stop_listening() {
  if (listener_ != 0) means_.backend.ignore(std::exchange(listener_, 0));
}

}  // namespace holdfast::lock
