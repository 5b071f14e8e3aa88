#include "lock/claim.h"

#include <utility>

#include "base/assert.h"

namespace holdfast::lock {

using spi::Status;

Claim::Claim(Context& context, std::shared_ptr<Claimant> claimant, std::vector<QueueRequest> wanted, Card card)
    : context_(context), claimant_(std::move(claimant)), wanted_(std::move(wanted)), card_(std::move(card)) {}

void Claim::start() {
  HOLDFAST_ASSERT(state_ == State::placing && !placement_ && claimant_, state_);
  placement_ = std::make_shared<Placement>(context_, std::shared_ptr<Placement::Owner>(shared_from_this(), this),
                                           wanted_, card_.to_text());
  placement_->start();
}

std::vector<spi::TicketName> Claim::ticket_names() const {
  std::vector<spi::TicketName> names;
  for (std::size_t i = 0; i < places().size(); ++i)
    names.push_back({wanted_.of_ticket(i).queue, places()[i].ticket.id});
  return names;
}

std::size_t Claim::admitted_queues() const {
  if (state_ == State::admitted) return wanted_.queues();
  return turn_ ? turn_->admitted_queues() : 0;
}

const std::string& Claim::queue() const {
  const auto admitted = admitted_queues();
  return wanted_[admitted < wanted_.queues() ? admitted : 0].queue;
}

// ------------------------------------------------------------------------------------------------------- on the way there

void Claim::placed(const spi::Reply<Placement::Placed>& reply) {
  HOLDFAST_ASSERT(state_ == State::placing && claimant_, state_);
  HOLDFAST_ASSERT(!turn_ && !places().empty(), places().size());
  state_ = State::waiting;
  turn_ = std::make_shared<Turn>(context_, std::shared_ptr<Turn::Owner>(shared_from_this(), this), wanted_, places());
  const auto turn = turn_;  // ours may be another one before it returns
  turn->begin(reply);
}

void Claim::must_wait() {
  HOLDFAST_ASSERT(state_ == State::waiting && claimant_, state_);
  claimant_->must_wait(*this);
}

void Claim::admitted() {
  HOLDFAST_ASSERT(state_ == State::waiting && claimant_, state_);
  // A ticket counts only if the session that made it is our current one.
  HOLDFAST_ASSERT(places().front().session == context_.session.id(), places().front().session, context_.session.id());
  state_ = State::admitted;
  claimant_->admitted(*this);
}

void Claim::tickets_gone() {
  HOLDFAST_ASSERT(state_ == State::waiting && placement_, state_);
  if (turn_) {
    holder_ = turn_->holder();
    std::exchange(turn_, nullptr)->end();
  }
  state_ = State::placing;
  own_listeners_.clear();  // they end with their tickets
  revoked_ = false;
  placement_->again();
}

void Claim::session_is_good() {
  if (const auto placement = placement_) placement->session_is_good();
  if (const auto turn = turn_) turn->session_is_good();
}

void Claim::session_disconnected() {
  if (const auto turn = turn_) turn->session_disconnected();
}

void Claim::look_again() {
  if (const auto turn = turn_) turn->look_again();
}

// --------------------------------------------------------------------------------------------------------- our own tickets

void Claim::beat() {
  if (state_ == State::waiting || state_ == State::admitted) listen_to_own_tickets();
}

// A listener notices that a ticket was removed. Looking at every ticket with every beat would cost a request per lock and beat. The
// listener is set with the first beat, because most holds are shorter than that and need none. If it cannot be set, for instance
// because this client has no permission to read its own node, the next beat tries again, which is such a look.
void Claim::listen_to_own_tickets() {
  HOLDFAST_ASSERT(state_ == State::waiting || state_ == State::admitted, state_);
  own_listeners_.resize(places().size());
  for (std::size_t i = 0; i < places().size(); ++i) {
    if (own_listeners_[i] != 0) continue;
    const auto id = places()[i].ticket.id;
    const auto look = [weak = weak_from_this(), i, id](const spi::Reply<spi::TicketText>& reply) {
      const auto self = weak.lock();
      if (!self || self->state_ == State::ended) return;
      if (self->places().size() <= i || self->places()[i].ticket.id != id) return;  // an older ticket of ours
      self->on_own_ticket(i, reply);
    };
    own_listeners_[i] = context_.backend.listen(wanted_.of_ticket(i).queue, id, look, look);
  }
}

void Claim::on_own_ticket(std::size_t ticket, const spi::Reply<spi::TicketText>& reply) {
  if (reply.status == Status::absent) return state_ == State::admitted ? break_off() : tickets_gone();
  if (!reply) {
    HOLDFAST_ASSERT(ticket < own_listeners_.size(), ticket, own_listeners_.size());
    own_listeners_[ticket] = 0;
    return;
  }
  if (!reply.value.revoked) return;
  if (reply.value.card.empty()) put_card_back(ticket);
  revoked_ = true;
  if (state_ == State::admitted) claimant_->revoked(*this);
}

void Claim::listen_for_revocation() {
  if (state_ != State::admitted) return;
  listen_to_own_tickets();
  if (!revoked_) return;
  context_.executor.post([self = shared_from_this()] {
    if (self->state_ == State::admitted) self->claimant_->revoked(*self);
  });
}

// The client that asked for the lock has overwritten the card.
void Claim::put_card_back(std::size_t ticket) {
  context_.backend.write(wanted_.of_ticket(ticket).queue, places()[ticket].ticket.id, {card_.to_text(), true},
                         [](const spi::Reply<spi::Nothing>&) {});
}

// ----------------------------------------------------------------------------------------------------------------- the end

void Claim::give_up(Sweeper::Done done) {
  const auto self = shared_from_this();
  state_ = State::ended;
  claimant_.reset();
  if (const auto turn = std::exchange(turn_, nullptr)) turn->end();
  if (placement_) return placement_->release(std::move(done));
  if (done) done();  // it was never started
}

void Claim::fail(Refusal refusal) {
  const auto self = shared_from_this();
  const auto claimant = claimant_;
  HOLDFAST_ASSERT(claimant && (state_ == State::placing || state_ == State::waiting), state_);
  if (!refusal.holder) refusal.holder = holder_;
  give_up();
  claimant->failed(*this, std::move(refusal));
}

// One of our tickets is gone, and with it the hold; the other tickets must not stay.
void Claim::break_off() {
  const auto claimant = claimant_;
  HOLDFAST_ASSERT(claimant && state_ == State::admitted, state_);
  give_up();
  claimant->broken(*this);
}

}  // namespace holdfast::lock
