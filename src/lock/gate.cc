#include "lock/gate.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::lock {

void Gate::enter(std::shared_ptr<Waiter> waiter) {
  if (!waiter->patient()) return look_first(std::move(waiter));
  line_.push_back(std::move(waiter));
  claim_if_wanted();
}

// A caller that will not wait: one read, and a ticket only if the queue is empty.
void Gate::look_first(std::shared_ptr<Waiter> waiter) {
  if (claim_) return waiter->fail(busy((hold_ ? 1 : claim_->ahead() + 1) + line_.size()));
  if (!means_.session.connected()) return waiter->fail({Errc::not_connected, "there is no connection to the service"});
  means_.backend.list(queue_, [self = shared_from_this(), waiter](const auto& reply) {
    if (waiter->settled()) return;  // it gave up, and maybe nobody else wants this gate
    if (!reply && reply.status != spi::Status::absent) {
      return waiter->fail({reply.status == spi::Status::denied   ? Errc::refused
                           : reply.status == spi::Status::closed ? Errc::cancelled
                                                                 : Errc::not_connected,
                           reply.detail});
    }
    if (self->claim_ || !reply.value.empty())
      return waiter->fail(self->busy(std::max<std::size_t>(reply.value.size(), 1)));
    self->line_.push_back(waiter);
    self->claim_if_wanted();
  });
}

void Gate::leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) {
  const auto place = std::find(line_.begin(), line_.end(), waiter);
  if (place == line_.end()) return;
  const auto before_us = static_cast<std::size_t>(place - line_.begin());
  const Refusal known = busy(hold_ ? before_us + 1 : (claim_ ? claim_->ahead() : 0) + before_us);
  refusal.ahead = known.ahead;
  refusal.holder = known.holder;
  if (refusal.code == Errc::timed_out) refusal.message = known.message;
  line_.erase(place);
  if (line_.empty() && claim_ && !hold_) std::exchange(claim_, nullptr)->give_up();
}

std::error_code Gate::release(const std::shared_ptr<Hold>& hold, Sweeper::Done done) {
  if (hold == hold_ && !means_.session.valid()) lose();  // the timer has not had its turn yet
  if (hold != hold_) {
    if (done) done();
    return Errc::session_lost;
  }
  const auto now = means_.executor.now();
  hold_->end(now);
  hold_.reset();
  if (hand_overs_ < hand_over_.count && now - admitted_at_ < hand_over_.time && grant_next()) {
    ++hand_overs_;
    if (done) done();
    return {};
  }
  std::exchange(claim_, nullptr)->give_up(std::move(done));
  claim_if_wanted();
  return {};
}

// The claim may fail in there, and then we let go of it: hence the copies.
void Gate::session_is_good() {
  if (const auto claim = claim_) claim->session_is_good();
}

void Gate::session_disconnected() {
  if (const auto claim = claim_) claim->session_disconnected();
}

void Gate::validity_ended() {
  if (hold_) lose();
}

void Gate::beat() {
  if (claim_) claim_->beat();
}

void Gate::close(const Refusal& refusal) {
  for (const auto& waiter : std::exchange(line_, {})) waiter->fail(refusal);
  if (hold_) lose();
  if (claim_) std::exchange(claim_, nullptr)->give_up();
}

void Gate::admitted(Claim&) {
  hand_overs_ = 0;
  admitted_at_ = means_.executor.now();
  if (!grant_next()) std::exchange(claim_, nullptr)->give_up();
}

void Gate::must_wait(Claim& claim) {
  std::erase_if(line_, [&](const auto& waiter) {
    if (waiter->patient()) return false;
    waiter->fail(busy(claim.ahead()));
    return true;
  });
  if (line_.empty()) std::exchange(claim_, nullptr)->give_up();
}

void Gate::failed(Claim&, Refusal refusal) {
  claim_.reset();
  for (const auto& waiter : std::exchange(line_, {})) waiter->fail(refusal);
}

void Gate::broken(Claim&) { lose(); }

void Gate::claim_if_wanted() {
  if (claim_ || line_.empty()) return;
  card_ = make_card_();
  claim_ = std::make_shared<Claim>(means_, shared_from_this(), queue_, Rule::exclusive_hold(), card_);
  claim_->start();
}

bool Gate::grant_next() {
  const auto& place = claim_->place();
  while (!line_.empty()) {
    const auto waiter = std::move(line_.front());
    line_.pop_front();
    auto hold = std::make_shared<Hold>(shared_from_this(), place.token,
                                       fmt::format("{}/{}", means_.backend.path(queue_), place.ticket.id),
                                       means_.session.validity());
    if (waiter->grant(hold)) {
      hold_ = std::move(hold);
      return true;
    }
  }
  return false;
}

void Gate::lose() {
  const auto hold = std::exchange(hold_, nullptr);
  hold->end(means_.executor.now());
  losses_.deliver([hold] { hold->signal_loss(); });
  // If the session goes on after all, our ticket must not keep others out.
  std::exchange(claim_, nullptr)->give_up();
  claim_if_wanted();
}

Refusal Gate::busy(std::size_t ahead) const {
  Refusal refusal{Errc::timed_out, "timed out", std::nullopt, ahead};
  if (hold_) {
    refusal.holder = card_;
  } else if (claim_) {
    refusal.holder = claim_->holder();
  }
  const auto by = refusal.holder ? fmt::format(" by {}", refusal.holder->to_string()) : std::string();
  refusal.message =
      ahead == 0 ? fmt::format("timed out before {} could be reached", means_.backend.path(queue_))
                 : fmt::format("timed out: {} is held{}, {} ahead of us", means_.backend.path(queue_), by, ahead);
  return refusal;
}

}  // namespace holdfast::lock
