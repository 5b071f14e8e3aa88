#include "lock/claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "base/uuid.h"
#include "lock/revoke_message.h"

namespace holdfast::lock {

using spi::Status;

Claim::Claim(Means& means, std::shared_ptr<Claimant> claimant, std::vector<Stand> stands, Card card)
    : means_(means), claimant_(std::move(claimant)), stands_(std::move(stands)), card_(std::move(card)) {
  for (std::size_t i = 0; i < stands_.size(); ++i) stand_of_.insert(stand_of_.end(), stands_[i].tickets, i);
}

void Claim::start() { when_connected(&Claim::enqueue); }

std::vector<spi::TicketName> Claim::ticket_names() const {
  std::vector<spi::TicketName> names;
  for (std::size_t i = 0; i < places_.size(); ++i) names.push_back({queue_of(i), places_[i].ticket.id});
  return names;
}

std::size_t Claim::first_ticket_of(std::size_t stand) const {
  return static_cast<std::size_t>(std::find(stand_of_.begin(), stand_of_.end(), stand) - stand_of_.begin());
}

// --------------------------------------------------------------------------------------------------- getting the tickets

void Claim::enqueue() {
  while (uids_.size() < stand_of_.size()) uids_.push_back(base::random_uuid());
  ++episode_;
  state_ = State::enqueueing;
  asked_in_ = means_.session.id();
  std::vector<spi::Request> requests;
  for (std::size_t i = 0; i < stand_of_.size(); ++i) {
    const auto& stand = stands_[stand_of_[i]];
    requests.push_back({.queue = stand.queue,
                        .uid = uids_[i],
                        .mode = stand.mode,
                        .card = card_.to_text(),
                        .in_place_of = stand.in_place_of});
  }
  means_.backend.enqueue(
      requests, [self = shared_from_this(), episode = episode_, uids = uids_, asked_in = asked_in_](auto reply) {
        if (!self->is_current(episode)) return self->sweep_reply(reply, uids, asked_in);
        self->on_enqueued(std::move(reply));
      });
}

// The reply to an enqueue() that nobody waits for any more.
void Claim::sweep_reply(const spi::Reply<Placed>& reply, const std::vector<std::string>& uids,
                        spi::SessionId asked_in) {
  if (!reply.value.empty()) return sweep(reply.value);
  if (reply.status != Status::unknown) return;
  for (std::size_t i = 0; i < uids.size(); ++i) means_.sweeper.remove_if_made(queue_of(i), uids[i], asked_in);
}

void Claim::sweep(const Placed& placed) {
  for (std::size_t i = 0; i < placed.size(); ++i) means_.sweeper.remove(queue_of(i), placed[i].place);
}

void Claim::on_enqueued(spi::Reply<Placed> reply) {
  if (reply) return on_placed(reply.value);
  if (!reply.value.empty()) {  // made, but not listed
    state_ = State::placed;
    for (auto& each : reply.value) places_.push_back(std::move(each.place));
    return after_failure(reply.status, reply.detail, &Claim::list);
  }
  if (reply.status == Status::unknown) {
    state_ = State::unsure;
    return again_later(&Claim::find, reply.detail);
  }
  state_ = State::detached;
  if (reply.status == Status::absent) {
    return fail(Errc::session_lost, "the hold in whose place this one was to come is gone: " + reply.detail);
  }
  after_failure(reply.status, reply.detail, &Claim::enqueue);
}

// They were made all together or not at all, so the first one that is absent answers for all, unless somebody removed just it.
void Claim::find() {
  if (asked_in_ != means_.session.id()) return requeue();  // whatever was made then died with its session
  const auto next = found_.size();
  means_.backend.find(queue_of(next), uids_[next], [self = shared_from_this(), episode = episode_](auto reply) {
    if (self->is_current(episode)) self->on_found(std::move(reply));
  });
}

void Claim::on_found(spi::Reply<spi::Enqueued> reply) {
  if (reply) {
    found_.push_back(std::move(reply.value));
    return found_.size() < stand_of_.size() ? find() : on_placed(std::exchange(found_, {}));
  }
  const auto found = std::exchange(found_, {});
  if (reply.status != Status::absent) {
    if (reply.status == Status::expired) state_ = State::detached;
    return after_failure(reply.status, reply.detail, reply.status == Status::expired ? &Claim::enqueue : &Claim::find);
  }
  state_ = State::detached;
  if (stand_of_.size() == 1) return enqueue();  // it was never made
  sweep(found);
  for (auto i = found.size() + 1; i < uids_.size(); ++i)
    means_.sweeper.remove_if_made(queue_of(i), uids_[i], asked_in_);
  requeue();
}

void Claim::on_placed(const Placed& placed) {
  state_ = State::placed;
  places_.clear();
  for (const auto& each : placed) places_.push_back(each.place);
  if (places_.front().session != means_.session.id()) return requeue();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto sequence = places_[i].ticket.sequence;
    if (places_[i].ticket.mode == spi::Mode::permit || !near_overflow(sequence)) continue;
    return fail(Errc::refused,
                fmt::format("the queue {} has handed out ticket {}, too close to the end of its 32-bit counter to stay "
                            "in order; remove the empty node so that it starts anew",
                            means_.backend.path(queue_of(i)), sequence));
  }
  progress();
  // The reply has a listing of every queue: what it admits needs no request any more.
  for (current_ = 0; current_ < stands_.size(); ++current_) {
    const auto ticket = first_ticket_of(current_);
    if (!stand().in_place_of.empty()) continue;
    const auto admission = look_at(placed[ticket].queue);
    if (admission.answer != Admission::Answer::admitted) return consider(placed[ticket].queue);
  }
  admit_now();
}

void Claim::requeue() {
  if (places_.size() > 1) {  // one of them is gone, the others are not
    for (std::size_t i = 0; i < places_.size(); ++i) means_.sweeper.remove(queue_of(i), places_[i]);
  }
  ++episode_;
  stop_listening();
  forget_pending();
  state_ = State::detached;
  uids_.clear();
  found_.clear();
  places_.clear();
  own_listeners_.clear();  // they end with their tickets
  asked_back_ = false;
  current_ = 0;
  when_connected(&Claim::enqueue);
}

// ---------------------------------------------------------------------------------------------------- waiting our turn

void Claim::list() {
  if (places_.front().session != means_.session.id()) return requeue();
  state_ = State::placed;
  if (current_ >= stands_.size()) current_ = 0;  // all were admitted, but the session could not be proven
  means_.backend.list(stand().queue, [self = shared_from_this(), episode = episode_](const auto& reply) {
    if (!self->is_current(episode)) return;
    if (!reply) return self->after_failure(reply.status, reply.detail, &Claim::list);
    self->progress();
    self->consider(reply.value);
  });
}

Admission Claim::look_at(const spi::Listing& queue) const {
  const auto first = first_ticket_of(current_);
  for (std::size_t i = 1; i < stand().tickets; ++i) {
    const auto is_mine = [&](const spi::Ticket& ticket) { return ticket.id == places_[first + i].ticket.id; };
    if (std::none_of(queue.begin(), queue.end(), is_mine)) return {};
  }
  return admit(queue, places_[first].ticket.id, {stand().mode, stand().permits ? stand().permits->load() : 0});
}

void Claim::consider(const spi::Listing& queue) {
  const auto admission = look_at(queue);
  ahead_ = admission.ahead;
  last_obstacle_ = admission.last_obstacle;
  switch (admission.answer) {
    case Admission::Answer::absent: return requeue();  // somebody removed our ticket
    case Admission::Answer::admitted: return advance();
    case Admission::Answer::wait: break;
  }
  // It may be the reader that stays in place of our own writer: it has been admitted with it.
  if (!stand().in_place_of.empty()) return advance();
  claimant_->must_wait(*this);
  if (state_ == State::ended) return;
  if (stand().mode == spi::Mode::permit) return listen_to_queue();
  listen(queue[admission.listen_to], admission.listen_to == 0);
  if (admission.listen_to != 0) ask_for_holder(queue.front());
}

void Claim::listen(const spi::Ticket& to, bool is_holder) {
  ++episode_;
  listener_ = means_.backend.listen(
      stand().queue, to.id,
      [self = shared_from_this(), episode = episode_, is_holder](const auto& reply) {
        if (!self->is_current(episode)) return;
        if (reply.status == Status::absent) return self->on_gone(Status::absent);
        if (!reply) {
          self->listener_ = 0;
          return self->after_failure(reply.status, reply.detail, &Claim::list);
        }
        self->state_ = State::waiting;
        if (is_holder) self->holder_ = Card::parse(reply.value);
        self->progress();
      },
      [self = shared_from_this(), episode = episode_](const auto& told) {
        if (!told && self->is_current(episode)) self->on_gone(told.status);
      });
}

// Permits: any of those that hold one may be the next to go.
void Claim::listen_to_queue() {
  if (places_.front().session != means_.session.id()) return requeue();
  stop_listening();
  ++episode_;
  listener_ = means_.backend.listen_to_queue(
      stand().queue,
      [self = shared_from_this(), episode = episode_](const auto& reply) {
        if (!self->is_current(episode)) return;
        if (!reply) {
          self->listener_ = 0;
          return self->after_failure(reply.status, reply.detail, &Claim::listen_to_queue);
        }
        self->progress();
        const auto admission = self->look_at(reply.value);
        self->ahead_ = admission.ahead;
        if (admission.answer == Admission::Answer::absent) return self->requeue();
        self->state_ = State::waiting;
        if (admission.answer == Admission::Answer::wait) return;
        self->stop_listening();
        self->advance();
      },
      [self = shared_from_this(), episode = episode_](const auto&) {
        if (!self->is_current(episode)) return;
        self->listener_ = 0;
        self->listen_to_queue();
      });
}

void Claim::look_again() {
  if (state_ == State::waiting && pending_ == nullptr) listen_to_queue();
}

// The one we listen to is not the holder, so its card does not say who is. One read, so that a caller who times out can
// be told.
void Claim::ask_for_holder(const spi::Ticket& first) {
  means_.backend.read(stand().queue, first.id, [self = shared_from_this(), episode = episode_](const auto& reply) {
    if (reply && self->is_current(episode)) self->holder_ = Card::parse(reply.value);
  });
}

void Claim::on_gone(Status status) {
  ++episode_;
  listener_ = 0;
  // No smaller ticket can come into the queue after our own. So if the last one that stood in our way is gone, it is our turn,
  // and asking again would cost a round trip.
  if (status == Status::absent && last_obstacle_ && places_.front().session == means_.session.id() &&
      means_.session.valid()) {
    return advance();
  }
  list();
}

// Admitted in this queue: on to the next.
void Claim::advance() {
  if (++current_ < stands_.size()) return list();
  stands_.size() > 1 ? confirm() : admit_now();
}

// While we waited in one queue, somebody may have removed our ticket from another, where we had been admitted long before.
void Claim::confirm() {
  ++episode_;
  const auto missing = std::make_shared<std::size_t>(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto& id = places_[i].ticket.id;
    means_.backend.check(queue_of(i), id, [self = shared_from_this(), episode = episode_, missing](const auto& reply) {
      if (!self->is_current(episode)) return;
      if (reply.status == Status::absent) return self->requeue();
      if (!reply) {
        ++self->episode_;  // one failure is enough
        return self->after_failure(reply.status, reply.detail, &Claim::list);
      }
      if (--*missing == 0) self->admit_now();
    });
  }
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
  listen_to_own_tickets();
}

// A removed ticket is noticed by a listener, once and for all, because a look at each of them with every beat would be a request for
// every lock that is held. Set with the first beat, because most holds are shorter than that and need none. A listener that could not
// be set, for instance because we may not read what we made, is tried again with the next beat, and is then such a look.
void Claim::listen_to_own_tickets() {
  own_listeners_.resize(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (own_listeners_[i] != 0) continue;
    const auto id = places_[i].ticket.id;
    const auto look = [weak = weak_from_this(), i, id](const spi::Reply<std::string>& reply) {
      const auto self = weak.lock();
      if (!self || self->state_ == State::ended) return;
      if (self->places_.size() <= i || self->places_[i].ticket.id != id) return;  // an older ticket of ours
      self->on_own_ticket(i, reply);
    };
    own_listeners_[i] = means_.backend.listen(queue_of(i), id, look, look);
  }
}

void Claim::on_own_ticket(std::size_t ticket, const spi::Reply<std::string>& reply) {
  if (reply.status == Status::absent) return state_ == State::admitted ? break_off() : requeue();
  if (!reply) {
    own_listeners_[ticket] = 0;
    return;
  }
  if (!is_asked(reply.value)) return;
  if (reply.value == kRevokeMessage) put_card_back(ticket, places_[ticket].ticket.id);
  asked_back_ = true;
  if (revocation_wanted_ && state_ == State::admitted) claimant_->revoked(*this);
}

void Claim::listen_for_revocation() {
  revocation_wanted_ = true;
  if (state_ != State::admitted) return;
  listen_to_own_tickets();
  if (!asked_back_) return;
  means_.executor.post([self = shared_from_this()] {
    if (self->state_ == State::admitted) self->claimant_->revoked(*self);
  });
}

// Curator's Revoker writes over the card.
void Claim::put_card_back(std::size_t i, const std::string& id) {
  means_.backend.write(queue_of(i), id, asking(card_.to_text()), [](const spi::Reply<spi::Nothing>&) {});
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
  if (places_.front().session != means_.session.id()) return requeue();
  progress();  // the listener has outlived the connection
}

void Claim::when_connected(Step step) {
  if (means_.session.connected()) return (this->*step)();
  hold_on(step, "no connection to " + means_.backend.where());
}

// Until the session is good; that counts as a failed attempt if it takes too long.
void Claim::hold_on(Step step, const std::string& why) {
  pending_ = step;
  const auto end = attempts_.end_of_next(means_.retry, means_.connection_timeout, means_.executor.now());
  timer_ = means_.executor.at(end, [self = shared_from_this(), step, why] {
    self->forget_pending();
    const auto trouble = self->means_.backend.trouble();
    self->again_later(step, trouble.empty() ? why : why + ": " + trouble);
  });
}

void Claim::after_failure(Status status, const std::string& why, Step step) {
  switch (status) {
    case Status::denied: return fail(Errc::refused, why);
    case Status::closed: return fail(Errc::cancelled, "the client was closed");
    default: return again_later(step, why);
  }
}

void Claim::again_later(Step step, const std::string& why) {
  const auto now = means_.executor.now();
  const auto delay = attempts_.fail(means_.retry, now);
  if (!delay) {
    return fail(Errc::not_connected,
                fmt::format("the service could not be reached, {} attempt{} in {} ms: {}", attempts_.count(),
                            attempts_.count() == 1 ? "" : "s", attempts_.elapsed(now).count(), why));
  }
  pending_ = step;
  timer_ = means_.executor.at(later(now, detail::saturated(*delay)), [self = shared_from_this(), step] {
    self->forget_pending();
    self->when_connected(step);
  });
}

// -------------------------------------------------------------------------------------------------------------- the end

void Claim::give_up(Sweeper::Done done) {
  switch (state_) {
    case State::ended:
    case State::detached:
    case State::enqueueing:  // sweep_reply() sees to it
      break;
    case State::unsure:
      for (std::size_t i = 0; i < uids_.size(); ++i) means_.sweeper.remove_if_made(queue_of(i), uids_[i], asked_in_);
      break;
    case State::placed:
    case State::waiting:
    case State::admitted: {
      const auto left = std::make_shared<std::size_t>(places_.size());
      for (std::size_t i = 0; i < places_.size(); ++i) {
        means_.sweeper.remove(queue_of(i), places_[i], [left, done] {
          if (--*left == 0 && done) done();
        });
      }
      done = {};
      break;
    }
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

// One of our tickets is gone, so the hold is; the others must not stay.
void Claim::break_off() {
  const auto claimant = claimant_;
  give_up();
  claimant->broken(*this);
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
