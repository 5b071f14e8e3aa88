#include "lock/turn.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace holdfast::lock {

using spi::Status;

Turn::Turn(Context& context, std::shared_ptr<Owner> owner, const Wanted& wanted, const std::vector<spi::Place>& places)
    : context_(context),
      owner_(std::move(owner)),
      wanted_(wanted),
      places_(places),
      retry_(context, [this](Refusal refusal) {
        refusal.holder = holder_;
        if (state_ == State::looking) refusal.ahead = ahead_;
        last_word()->not_admitted(std::move(refusal));
      }) {}

RetryLoop::Step Turn::step(void (Turn::*member)()) {
  return [self = shared_from_this(), member] { (self.get()->*member)(); };
}

std::shared_ptr<Turn::Owner> Turn::last_word() {
  HOLDFAST_ASSERT(owner_ && state_ != State::over, state_);
  auto owner = owner_;
  end();
  return owner;
}

void Turn::end() {
  ++episode_;
  stop_listening();
  retry_.cancel();
  state_ = State::over;
  owner_.reset();
}

void Turn::stop_listening() {
  if (listener_ != 0) context_.backend.ignore(std::exchange(listener_, 0));
}

void Turn::begin(const spi::Reply<std::vector<spi::Enqueued>>& placed) {
  if (!placed) return retry_.after(placed.status, placed.detail, step(&Turn::list));
  for (current_ = 0; current_ < wanted_.queues(); ++current_) {
    if (!request().in_place_of.empty()) continue;
    const auto& queue = placed.value[wanted_.first_ticket_in(current_)].queue;
    if (look_at(queue).answer != Admission::Answer::admitted) return consider(queue);
  }
  admit_now();
}

void Turn::list() {
  if (lost_the_session()) return last_word()->tickets_gone();
  HOLDFAST_ASSERT(owner_ && state_ != State::over, state_);
  HOLDFAST_ASSERT(current_ <= wanted_.queues(), current_, wanted_.queues());
  state_ = State::looking;
  if (current_ >= wanted_.queues()) current_ = 0;  // all had admitted it, but the session could not be proven
  context_.backend.list(request().queue,
                        [self = shared_from_this(), owner = owner_, episode = episode_](const auto& reply) {
                          if (!self->is_current(episode)) return;
                          if (!reply) return self->retry_.after(reply.status, reply.detail, self->step(&Turn::list));
                          self->retry_.progress();
                          self->consider(reply.value);
                        });
}

Admission Turn::look_at(const spi::Listing& queue) const {
  const auto first = wanted_.first_ticket_in(current_);
  HOLDFAST_ASSERT(first + request().tickets <= places_.size(), first, request().tickets, places_.size());
  for (std::size_t i = 1; i < request().tickets; ++i) {
    const auto is_mine = [&](const spi::Ticket& ticket) { return ticket.id == places_[first + i].ticket.id; };
    if (std::none_of(queue.begin(), queue.end(), is_mine)) return {};
  }
  return admit(queue, places_[first].ticket.id, request().rule());
}

void Turn::consider(const spi::Listing& queue) {
  const auto admission = look_at(queue);
  ahead_ = admission.ahead;
  last_obstacle_ = admission.last_obstacle;
  switch (admission.answer) {
    case Admission::Answer::absent: return last_word()->tickets_gone();  // an operator removed our ticket
    case Admission::Answer::admitted: return advance();
    case Admission::Answer::wait: break;
  }
  // It may be the reader that took the place of our own writer, and was admitted with it.
  if (!request().in_place_of.empty()) return advance();
  owner_->must_wait();
  if (state_ == State::over) return;
  if (request().mode == spi::Mode::permit) return listen_to_queue();
  listen(queue[admission.listen_to], admission.listen_to == 0);
  if (admission.listen_to != 0) ask_for_holder(queue.front());
}

void Turn::listen(const spi::Ticket& to, bool is_holder) {
  HOLDFAST_ASSERT(listener_ == 0 && owner_, listener_);
  ++episode_;
  listener_ = context_.backend.listen(
      request().queue, to.id,
      [self = shared_from_this(), owner = owner_, episode = episode_, is_holder](const auto& reply) {
        if (!self->is_current(episode)) return;
        if (reply.status == Status::absent) return self->on_gone(Status::absent);
        if (!reply) {
          self->listener_ = 0;
          return self->retry_.after(reply.status, reply.detail, self->step(&Turn::list));
        }
        self->state_ = State::waiting;
        if (is_holder) self->holder_ = Card::parse(reply.value.card);
        self->retry_.progress();
      },
      [self = shared_from_this(), owner = owner_, episode = episode_](const auto& told) {
        if (!told && self->is_current(episode)) self->on_gone(told.status);
      });
}

// For permits: any holder may be the next to release.
void Turn::listen_to_queue() {
  if (lost_the_session()) return last_word()->tickets_gone();
  stop_listening();
  ++episode_;
  listener_ = context_.backend.listen_to_queue(
      request().queue,
      [self = shared_from_this(), owner = owner_, episode = episode_](const auto& reply) {
        if (!self->is_current(episode)) return;
        if (!reply) {
          self->listener_ = 0;
          return self->retry_.after(reply.status, reply.detail, self->step(&Turn::listen_to_queue));
        }
        self->retry_.progress();
        const auto admission = self->look_at(reply.value);
        self->ahead_ = admission.ahead;
        if (admission.answer == Admission::Answer::absent) return self->last_word()->tickets_gone();
        self->state_ = State::waiting;
        if (admission.answer == Admission::Answer::wait) return;
        self->stop_listening();
        self->advance();
      },
      [self = shared_from_this(), owner = owner_, episode = episode_](const auto&) {
        if (!self->is_current(episode)) return;
        self->listener_ = 0;
        self->listen_to_queue();
      });
}

void Turn::look_again() {
  if (state_ == State::waiting && !retry_.waits()) listen_to_queue();
}

// The ticket we listen to is not the holder's, so its card does not tell who holds. One read, for a caller that times out.
void Turn::ask_for_holder(const spi::Ticket& first) {
  context_.backend.read(request().queue, first.id,
                        [self = shared_from_this(), owner = owner_, episode = episode_](const auto& reply) {
                          if (reply && self->is_current(episode)) self->holder_ = Card::parse(reply.value.card);
                        });
}

void Turn::on_gone(Status status) {
  HOLDFAST_ASSERT(owner_ && state_ != State::over, state_);
  ++episode_;
  listener_ = 0;
  // No smaller ticket can come into the queue after our own. So when the last one in our way is gone, it is our turn; asking
  // again would cost a round trip.
  if (status == Status::absent && last_obstacle_ && !lost_the_session() && context_.session.valid()) return advance();
  list();
}

// Admitted in this queue: goes on to the next.
void Turn::advance() {
  if (++current_ < wanted_.queues()) return list();
  wanted_.queues() > 1 ? confirm() : admit_now();
}

// While we waited in one queue, an operator may have removed our ticket from another, where we had been admitted long before.
void Turn::confirm() {
  HOLDFAST_ASSERT(owner_ && current_ == wanted_.queues(), current_, wanted_.queues());
  state_ = State::looking;
  ++episode_;
  const auto missing = std::make_shared<std::size_t>(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    context_.backend.check(wanted_.of_ticket(i).queue, places_[i].ticket.id,
                           [self = shared_from_this(), owner = owner_, episode = episode_, missing](const auto& reply) {
                             if (!self->is_current(episode)) return;
                             if (reply.status == Status::absent) return self->last_word()->tickets_gone();
                             if (!reply) {
                               ++self->episode_;  // one failure is enough
                               return self->retry_.after(reply.status, reply.detail, self->step(&Turn::list));
                             }
                             if (--*missing == 0) self->admit_now();
                           });
  }
}

void Turn::admit_now() {
  if (lost_the_session()) return last_word()->tickets_gone();
  // The answer may be old, if this process was stopped or the network slow. Only what the service says now counts.
  if (!context_.session.valid()) {
    return retry_.hold(step(&Turn::list), "the session could not be proven to be alive");
  }
  HOLDFAST_ASSERT(current_ == wanted_.queues(), current_, wanted_.queues());
  ahead_ = 0;
  last_word()->admitted();
}

// Requests under way end on their own. A waiting turn has none.
void Turn::session_disconnected() {
  if (state_ == State::waiting && !retry_.waits()) retry_.again(step(&Turn::resume), "the connection was lost");
}

// The turn was waiting, and is connected again.
void Turn::resume() {
  if (lost_the_session()) return last_word()->tickets_gone();
  retry_.progress();  // the listener has outlived the connection
}

}  // namespace holdfast::lock
