#include "lock/party.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::lock {

using spi::Mode;

// ------------------------------------------------------------------------------------------------- coming and going

bool Party::takes(const Waiter& waiter) const {
  if (stands_.front().mode != waiter.call().mode) return false;
  if (!is_shared()) return true;
  // A delay is waited for once, when the ticket is admitted.
  if (is_admitted() && !delay_ && waiter.call().options.lock_delay.count() > 0) return false;
  return house_.hand_over.count > 0 && (!is_admitted() || within_bounds());
}

// How long our threads may keep those out who wait elsewhere.
bool Party::within_bounds() const {
  return handing_over_ && hand_overs_ < house_.hand_over.count &&
         means_.executor.now() - admitted_at_ < house_.hand_over.time;
}

void Party::enter(std::shared_ptr<Waiter> waiter) {
  if (waiter->patient() || (is_shared() && opened_)) return join(std::move(waiter));
  if (claim_) return waiter->fail(busy(ahead_of_newcomer()));
  if (!means_.session.connected()) return waiter->fail({Errc::not_connected, "there is no connection to the service"});
  look_first(std::move(waiter), 0);
}

// A caller that will not wait: one read, and a ticket only if nobody is there.
void Party::look_first(std::shared_ptr<Waiter> waiter, std::size_t stand) {
  if (stand == stands_.size()) return join(std::move(waiter));
  ++looking_;
  means_.backend.list(stands_[stand].queue, [self = shared_from_this(), waiter, stand](const auto& reply) {
    --self->looking_;
    if (waiter->settled()) return;  // it gave up, and maybe nobody else wants this party
    if (!reply && reply.status != spi::Status::absent) return waiter->fail(refusal_of(reply));
    if (self->claim_ || !self->seems_free(self->stands_[stand], reply.value)) {
      return waiter->fail(self->busy(std::max<std::size_t>(reply.value.size(), 1)));
    }
    self->look_first(waiter, stand + 1);
  });
}

bool Party::seems_free(const Stand& stand, const spi::Listing& queue) const {
  if (stand.mode == Mode::permit) return queue.size() + stand.tickets <= stand.permits->load();
  return std::all_of(queue.begin(), queue.end(), [&](const spi::Ticket& ticket) {
    return ticket.mode == Mode::none || (stand.mode == Mode::shared && ticket.mode == Mode::shared);
  });
}

void Party::join(std::shared_ptr<Waiter> waiter) {
  line_.push_back(std::move(waiter));
  if (is_shared() && opened_) {
    if (!means_.session.valid()) return lose_all();  // the timer has not had its turn yet
    ++hand_overs_;
    grant_next();
    return;
  }
  claim_if_wanted();
  if (waiting_ || (is_admitted() && !is_shared())) fail_if_deadlocked();
}

bool Party::leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) {
  const auto place = std::find(line_.begin(), line_.end(), waiter);
  if (place == line_.end()) return false;
  const auto before_us = static_cast<std::size_t>(place - line_.begin());
  const Refusal known = busy(!holds_.empty() ? before_us + 1 : (claim_ ? claim_->ahead() : 0) + before_us);
  refusal.ahead = known.ahead;
  refusal.holder = known.holder;
  if (refusal.code == Errc::timed_out) refusal.message = known.message;
  line_.erase(place);
  // An admitted one without holds rests (minimum hold), or is kept up by a delay.
  if (line_.empty() && claim_ && (!is_admitted() || !opened_)) give_back();
  return true;
}

std::error_code Party::release(const std::shared_ptr<Hold>& hold, Sweeper::Done done) {
  if (!holds_.empty() && !means_.session.valid()) lose_all();  // the timer has not had its turn yet
  const auto kept = std::find(holds_.begin(), holds_.end(), hold);
  if (kept == holds_.end() || !hold->is_held()) {
    if (kept != holds_.end()) lose(hold);
    if (done) done();
    return Errc::session_lost;
  }
  end(hold);
  holds_.erase(kept);
  if (done) owed_.push_back(std::move(done));
  go_on();
  return {};
}

// A hold has ended: what next?
void Party::go_on() {
  if (!holds_.empty()) return settle_owed();
  if (means_.executor.now() < not_free_before_) {
    means_.executor.at(not_free_before_, [self = shared_from_this(), claim = claim_] {
      // Unless it was lost meanwhile, or a reader has come and will go on itself.
      if (claim != self->claim_ || !self->is_admitted() || !self->holds_.empty()) return;
      self->handing_over_ = false;  // nobody has looked after it for a while
      self->go_on();
    });
    return;
  }
  const bool needs_a_delay = !delay_ && !line_.empty() && line_.front()->call().options.lock_delay.count() > 0;
  if (within_bounds() && !is_shared() && !needs_a_delay && means_.session.valid() && grant_next()) {
    ++hand_overs_;
    return settle_owed();
  }
  if (delay_ && graceful_) delay_->lift();
  give_back();
}

void Party::give_back() {
  if (const auto delay = std::exchange(delay_, nullptr)) opened_ ? delay->stop() : delay->lift();
  opened_ = false;
  waiting_ = false;
  Sweeper::Done done;
  if (!owed_.empty()) {
    done = [owed = std::exchange(owed_, {})] {
      for (const auto& each : owed) each();
    };
  }
  std::exchange(claim_, nullptr)->give_up(std::move(done));
  claim_if_wanted();
}

void Party::settle_owed() {
  for (const auto& done : std::exchange(owed_, {})) done();
}

bool Party::keeps(const Hold& hold) const {
  return std::any_of(holds_.begin(), holds_.end(), [&](const auto& each) { return each.get() == &hold; });
}

bool Party::pin(const Hold& hold) {
  if (!keeps(hold) || !hold.is_held()) return false;
  handing_over_ = false;
  return true;
}

void Party::listen_for_revocation(const Hold& hold) {
  if (keeps(hold)) claim_->listen_for_revocation();
}

void Party::look_again() {
  if (const auto claim = claim_) claim->look_again();
}

// ----------------------------------------------------------------------------------------------- what the session says

// The claim may fail in there, and then we let go of it: hence the copies.
void Party::session_is_good() {
  if (const auto claim = claim_) claim->session_is_good();
}

void Party::session_disconnected() {
  if (const auto claim = claim_) claim->session_disconnected();
}

void Party::validity_ended() {
  if (is_admitted()) lose_all();
}

void Party::beat() {
  if (const auto claim = claim_) claim->beat();
}

void Party::close(const Refusal& refusal) {
  for (const auto& waiter : std::exchange(line_, {})) waiter->fail(refusal);
  lose_all();
}

// --------------------------------------------------------------------------------------------------- what the claim says

void Party::admitted(Claim&) {
  hand_overs_ = 0;
  handing_over_ = true;
  graceful_ = true;
  waiting_ = false;
  not_free_before_ = {};
  admitted_at_ = means_.executor.now();
  auto delay = Clock::duration::zero();
  for (const auto& waiter : line_) delay = std::max<Clock::duration>(delay, waiter->call().options.lock_delay);
  if (delay == Clock::duration::zero()) return open_up();
  delay_ = std::make_shared<Delay>(means_, *claim_, delay);
  // Told only while it is ours: give_back() stops it.
  const auto must_wait = [self = shared_from_this()] {
    self->fail_impatient(1);
    if (self->line_.empty()) self->give_back();
  };
  const auto may_hold = [self = shared_from_this()](const std::optional<Refusal>& refusal) {
    self->admitted_at_ = self->means_.executor.now();
    if (!refusal) return self->open_up();
    for (const auto& waiter : std::exchange(self->line_, {})) waiter->fail(*refusal);
    self->give_back();
  };
  delay_->wait({must_wait, may_hold});
}

void Party::open_up() {
  opened_ = true;
  // A delay may have lasted longer than the session.
  if (!means_.session.valid()) return lose_all();
  if (!grant_next()) give_back();
}

void Party::must_wait(Claim& claim) {
  waiting_ = true;
  fail_impatient(claim.ahead());
  fail_if_deadlocked();
  if (line_.empty()) give_back();
}

void Party::fail_impatient(std::size_t ahead) {
  std::erase_if(line_, [&](const auto& waiter) {
    if (waiter->patient()) return false;
    waiter->fail(busy(ahead));
    return true;
  });
}

void Party::failed(Claim&, Refusal refusal) {
  claim_.reset();
  waiting_ = false;
  for (const auto& waiter : std::exchange(line_, {})) waiter->fail(refusal);
}

void Party::broken(Claim&) { lose_all(); }

void Party::revoked(Claim&) {
  handing_over_ = false;
  for (const auto& hold : holds_) house_.losses.deliver([hold] { hold->signal_revocation(); });
}

void Party::fail_if_deadlocked() {
  // A copy: who looks for circles looks at our line too.
  for (const auto& waiter : std::deque(line_)) {
    // One that has nothing cannot close a circle; but a claim may be admitted in some of its queues.
    if (!waiter->call().holds_others && stands_.size() == 1) continue;
    if (!waiter->call().endless()) continue;
    auto refusal = house_.would_deadlock(*waiter, queue());
    if (!refusal) continue;
    waiter->fail(std::move(*refusal));
    std::erase(line_, waiter);
  }
}

// --------------------------------------------------------------------------------------------------------------- holds

void Party::claim_if_wanted() {
  if (claim_ || line_.empty()) return;
  card_ = line_.front()->call().card;
  claim_ = std::make_shared<Claim>(means_, shared_from_this(), stands_, card_);
  claim_->start();
}

// To the first in line who is still there; if it is shared, to all. False if there was none.
bool Party::grant_next() {
  const auto& place = claim_->places().front();
  const auto& queue = stands_.front().queue;
  const auto now = means_.executor.now();
  bool granted = false;
  while (!line_.empty() && (is_shared() || !granted)) {
    const auto waiter = std::move(line_.front());
    line_.pop_front();
    const auto& options = waiter->call().options;
    auto hold = std::make_shared<Hold>(
        shared_from_this(),
        Hold::Grant{.token = place.token,
                    .tickets = claim_->ticket_names(),
                    .path = fmt::format("{}/{}", means_.backend.path(queue), place.ticket.id),
                    .until = options.max_hold.count() > 0 ? now + options.max_hold : Clock::time_point::max(),
                    .not_free_before = now + options.min_hold},
        waiter->call(), means_.session.validity());
    if (!waiter->grant(hold)) continue;
    granted = true;
    holds_.push_back(hold);
    limit_hold(hold);
  }
  return granted;
}

void Party::limit_hold(const std::shared_ptr<Hold>& hold) {
  if (hold->grant().until == Clock::time_point::max()) return;
  hold->limit = means_.executor.at(hold->grant().until, [self = shared_from_this(), hold] { self->lose(hold); });
}

void Party::end(const std::shared_ptr<Hold>& hold) {
  hold->end(means_.executor.now());
  not_free_before_ = std::max(not_free_before_, hold->grant().not_free_before);
  means_.executor.cancel(std::exchange(hold->limit, spi::Executor::kNoTimer));
}

void Party::lose(const std::shared_ptr<Hold>& hold) {
  if (std::erase(holds_, hold) == 0) return;
  end(hold);
  house_.losses.deliver([hold] { hold->signal_loss(); });
  // Whoever comes next must have a larger token.
  handing_over_ = false;
  graceful_ = false;
  go_on();
}

// And with the holds the ticket: if the session goes on after all, it must not keep others out.
void Party::lose_all() {
  for (const auto& hold : std::exchange(holds_, {})) {
    end(hold);
    house_.losses.deliver([hold] { hold->signal_loss(); });
  }
  if (claim_) give_back();
}

// -------------------------------------------------------------------------------------------------------- what we know

std::size_t Party::ahead_of_newcomer() const {
  return (!holds_.empty() || !claim_ ? 1 : claim_->ahead() + 1) + line_.size();
}

Refusal Party::busy(std::size_t ahead) const {
  Refusal refusal{Errc::timed_out, "timed out", std::nullopt, ahead};
  if (!holds_.empty()) {
    refusal.holder = card_;
  } else if (claim_) {
    refusal.holder = claim_->holder();
  }
  const auto path = means_.backend.path(queue());
  if (ahead == 0) {
    refusal.message = fmt::format("timed out before {} could be reached", path);
  } else if (stands_.front().mode == Mode::permit) {
    refusal.message = fmt::format("timed out: of the {} permits of {} not as many as {} were free",
                                  stands_.front().permits->load(), path, stands_.front().tickets);
  } else {
    const auto by = refusal.holder ? fmt::format(" by {}", refusal.holder->to_string()) : std::string();
    refusal.message = fmt::format("timed out: {} is held{}, {} ahead of us", path, by, ahead);
  }
  return refusal;
}

}  // namespace holdfast::lock
