#include "lock/cohort.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/uuid.h"

namespace holdfast::lock {

using spi::Mode;

namespace {

// A client gives a ticket that it only keeps back as soon as a rival's ticket comes. A caller that does not wait for rivals makes one and waits
// this long for that; then the ticket is in use.
constexpr auto kTimeToGiveBack = std::chrono::milliseconds(100);

// Whether nothing stands in the way but a ticket that its client may only keep.
bool may_only_be_kept(const spi::Listing& queue, Mode wanted) {
  const auto in_the_way = [&](const spi::Ticket& each) { return keeps_out(each.mode, wanted); };
  const auto first = std::find_if(queue.begin(), queue.end(), in_the_way);
  return first != queue.end() && base::has_keepers_uuid(first->id) &&
         std::count_if(first, queue.end(), in_the_way) == 1;
}

// One timer, however often the name is released meanwhile.
void hold_until_not_needed(spi::Executor& executor, std::shared_ptr<KeepPolicy> keeping, std::shared_ptr<void> home) {
  const auto until = keeping->home_needed_until();
  executor.at(until, [&executor, keeping = std::move(keeping), home = std::move(home)] {
    if (executor.now() < keeping->home_needed_until()) return hold_until_not_needed(executor, keeping, home);
    keeping->let_home_go();
  });
}

}  // namespace

// ------------------------------------------------------------------------------------------------- coming and going

bool Cohort::takes(const Waiter& waiter) const {
  if (mode() != waiter.call().mode) return false;
  if (!is_shared()) return true;
  // A lock delay is waited for once, when the ticket is admitted.
  if (is_admitted() && !delay_ && waiter.call().options.lock_delay.count() > 0) return false;
  return hand_over_of(waiter).count > 0 && (!is_admitted() || within_bounds());
}

// Whether the threads of this client may keep the ticket, although other clients wait.
bool Cohort::within_bounds() const {
  if (!tenure_.may_hand_over || claim_->is_asked_for()) return false;
  if (rivals_ && rivals_->alone() && keeping_->keep() > Clock::duration::zero()) return tenure_.bounds.count > 0;
  return tenure_.hand_overs < tenure_.bounds.count && now() - tenure_.since < tenure_.bounds.time;
}

const HandOver& Cohort::hand_over_of(const Waiter& waiter) const {
  const auto& said = waiter.call().hand_over;
  return said ? *said : context_.hand_over;
}

void Cohort::enter(std::shared_ptr<Waiter> waiter) {
  if (waiter->patient() || state_ == State::kept || (is_shared() && state_ >= State::open))
    return join(std::move(waiter));
  if (claim_) return waiter->fail(busy(ahead_of_newcomer()));
  if (!claims_.session.connected()) return waiter->fail({Errc::not_connected, "there is no connection to the service"});
  look_first(std::move(waiter), 0);
}

// For a caller that does not wait: one read, and a ticket only if nothing is in its way.
void Cohort::look_first(std::shared_ptr<Waiter> waiter, std::size_t queue) {
  if (queue == wanted_.size()) return join(std::move(waiter));
  ++looking_;
  claims_.backend.list(wanted_[queue].queue, [self = shared_from_this(), waiter, queue](const auto& reply) {
    HOLDFAST_ASSERT(self->looking_ > 0);
    --self->looking_;
    if (waiter->settled()) return;  // it gave up, and maybe no other thread wants this cohort
    if (!reply && reply.status != spi::Status::absent) return waiter->fail(refusal_of(reply));
    const auto& wanted = self->wanted_[queue];
    if (self->claim_ || !would_admit(reply.value, wanted.rule(), wanted.tickets)) {
      if (self->claim_ || wanted.mode == Mode::permit || !may_only_be_kept(reply.value, wanted.mode)) {
        return waiter->fail(self->busy(std::max<std::size_t>(reply.value.size(), 1)));
      }
      self->wait_for_kept_ticket();
    }
    self->look_first(waiter, queue + 1);
  });
}

void Cohort::wait_for_kept_ticket() {
  kept_by_rival_until_ = now() + kTimeToGiveBack;
  claims_.executor.at(*kept_by_rival_until_, [self = shared_from_this()] {
    if (self->state_ == State::waiting && self->claim_) self->must_wait(*self->claim_);
  });
}

void Cohort::join(std::shared_ptr<Waiter> waiter) {
  line_.push_back(std::move(waiter));
  if (state_ == State::kept && !may_use_kept(*line_.back())) return give_back();
  if (state_ == State::kept || (is_shared() && state_ >= State::open)) {
    if (!claims_.session.valid()) return lose_all();  // the timer has not had its turn yet
    ++tenure_.hand_overs;
    state_ = State::open;
    grant_next();
    return;
  }
  claim_if_wanted();
  if (state_ == State::waiting || (is_admitted() && !is_shared())) fail_if_deadlocked();
}

// A lock delay is waited for when a ticket is admitted, and then the whole ticket is bound by it.
bool Cohort::may_use_kept(const Waiter& waiter) const {
  const auto& hand_over = hand_over_of(waiter);
  return waiter.call().options.lock_delay.count() == 0 && hand_over.count > 0 && hand_over.keep.count() > 0;
}

bool Cohort::leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) {
  const auto place = std::find(line_.begin(), line_.end(), waiter);
  if (place == line_.end()) return false;
  const auto before_us = static_cast<std::size_t>(place - line_.begin());
  const Refusal known = busy(!holds_.empty() ? before_us + 1 : (claim_ ? claim_->ahead() : 0) + before_us);
  refusal.ahead = known.ahead;
  refusal.holder = known.holder;
  if (refusal.code == Errc::timed_out) refusal.message = known.message;
  line_.erase(place);
  if (line_.empty() && claim_ && state_ < State::open) give_back();
  return true;
}

std::error_code Cohort::release(const std::shared_ptr<Hold>& hold, Sweeper::Done done) {
  if (!holds_.empty() && !claims_.session.valid()) lose_all();  // the timer has not had its turn yet
  const auto kept = std::find(holds_.begin(), holds_.end(), hold);
  if (kept == holds_.end() || !hold->is_held(now())) {
    if (kept != holds_.end()) lose(hold);
    if (done) done();
    return Errc::session_lost;
  }
  end(hold);
  holds_.erase(kept);
  if (keeping_) {
    keeping_->released(now());
    stay_for_the_next();
  }
  if (done) owed_.push_back(std::move(done));
  go_on();
  return {};
}

// A hold has ended: hand the ticket over, keep it for the minimum hold, or give it back.
void Cohort::go_on() {
  HOLDFAST_ASSERT(claim_ && state_ >= State::open, state_);
  if (!holds_.empty()) return settle_owed();
  if (now() < tenure_.not_free_before) return rest();
  if (!line_.empty()) tenure_.bounds = hand_over_of(*line_.front());
  const bool needs_a_delay = !delay_ && !line_.empty() && line_.front()->call().options.lock_delay.count() > 0;
  if (within_bounds() && !is_shared() && !needs_a_delay && claims_.session.valid() && grant_next()) {
    if (++tenure_.hand_overs >= tenure_.bounds.count / 2) watch_for_rivals();
    return settle_owed();
  }
  if (may_keep()) return keep();
  if (delay_ && tenure_.graceful) delay_->lift();
  give_back();
}

void Cohort::rest() {
  HOLDFAST_ASSERT(holds_.empty() && claim_ && claim_->is_admitted(), holds_.size());
  state_ = State::resting;
  claims_.executor.at(tenure_.not_free_before, [self = shared_from_this(), claim = claim_] {
    // Unless it was lost meanwhile, or a reader has come and will go on itself.
    if (claim != self->claim_ || self->state_ != State::resting) return;
    self->tenure_.may_hand_over = false;  // no thread has used it for a while
    self->go_on();
  });
}

// A caller that waits until the name is free for rivals (release_for()) is not kept waiting.
bool Cohort::may_keep() const {
  return line_.empty() && owed_.empty() && !delay_ && claim_->wanted()[0].may_keep && keeping_->worthwhile(now()) &&
         tenure_.may_hand_over && !claim_->is_asked_for() && claims_.session.connected() && claims_.session.valid() &&
         !(rivals_ && rivals_->has_rival());
}

void Cohort::keep() {
  HOLDFAST_ASSERT(holds_.empty() && claim_ && claim_->is_admitted() && !delay_, holds_.size());
  state_ = State::kept;
  kept_since_ = now();
  watch_for_rivals();
  if (state_ == State::kept) end_keeping_in_time();
}

// One timer, however often the ticket is used.
void Cohort::end_keeping_in_time() {
  const auto due = kept_since_ + keeping_->keep();
  if (keep_timer_ != spi::Executor::kNoTimer && keep_timer_due_ <= due) return;
  claims_.executor.cancel(keep_timer_);
  keep_timer_due_ = due;
  keep_timer_ = claims_.executor.at(due, [self = shared_from_this()] {
    self->keep_timer_ = spi::Executor::kNoTimer;
    if (self->state_ != State::kept) return;
    self->now() < self->kept_since_ + self->keeping_->keep() ? self->end_keeping_in_time() : self->give_back();
  });
}

void Cohort::stay_for_the_next() {
  if (keeping_->keep() <= Clock::duration::zero()) return;
  if (auto home = keeping_->hold_home()) hold_until_not_needed(claims_.executor, keeping_, std::move(home));
}

void Cohort::watch_for_rivals() {
  if (rivals_ || !claim_->wanted()[0].may_keep || !keeping_->worthwhile(now())) return;
  rivals_ = std::make_shared<RivalWatch>(claims_, wanted_.front().queue, claim_->places().front().ticket.id, [this] {
    keeping_->rival_seen(now());
    give_back_kept();
  });
  rivals_->begin();
}

void Cohort::give_back_kept() {
  if (state_ == State::kept) give_back();
}

void Cohort::give_back() {
  // A ticket that a thread still holds is not given back.
  HOLDFAST_ASSERT(claim_ && state_ != State::idle, state_);
  HOLDFAST_ASSERT(holds_.empty(), holds_.size());
  if (const auto delay = std::exchange(delay_, nullptr)) state_ >= State::open ? delay->stop() : delay->lift();
  if (const auto rivals = std::exchange(rivals_, nullptr)) rivals->end();
  kept_by_rival_until_.reset();
  state_ = State::idle;
  Sweeper::Done done;
  if (!owed_.empty()) {
    done = [owed = std::exchange(owed_, {})] {
      for (const auto& each : owed) each();
    };
  }
  std::exchange(claim_, nullptr)->give_up(std::move(done));
  claim_if_wanted();
}

void Cohort::settle_owed() {
  for (const auto& done : std::exchange(owed_, {})) done();
}

bool Cohort::keeps(const Hold& hold) const {
  return std::any_of(holds_.begin(), holds_.end(), [&](const auto& each) { return each.get() == &hold; });
}

bool Cohort::pin(const Hold& hold) {
  if (!keeps(hold) || !hold.is_held(now())) return false;
  tenure_.may_hand_over = false;
  return true;
}

void Cohort::listen_for_revocation(const Hold& hold) {
  if (keeps(hold)) claim_->listen_for_revocation();
}

void Cohort::look_again() {
  if (const auto claim = claim_) claim->look_again();
}

// ----------------------------------------------------------------------------------------------- what the session says

// The claim may fail in here, and is then dropped: hence the copies.
void Cohort::session_is_good() {
  if (const auto claim = claim_) claim->session_is_good();
  if (const auto delay = delay_) delay->session_is_good();
}

void Cohort::session_disconnected() {
  if (const auto claim = claim_) claim->session_disconnected();
  give_back_kept();  // a rival could not be seen
}

void Cohort::validity_ended() {
  if (is_admitted()) lose_all();
}

void Cohort::beat() {
  if (const auto claim = claim_) claim->beat();
}

void Cohort::close(const Refusal& refusal) {
  fail_all(refusal);
  lose_all();
}

// --------------------------------------------------------------------------------------------------- what the claim says

void Cohort::admitted(Claim& claim) {
  HOLDFAST_ASSERT(claim_.get() == &claim && claim.is_admitted());
  HOLDFAST_ASSERT(state_ == State::claiming || state_ == State::waiting, state_);
  HOLDFAST_ASSERT(holds_.empty() && !delay_ && !rivals_, holds_.size());
  state_ = State::delayed;
  kept_by_rival_until_.reset();
  tenure_ = {.since = now()};
  tenure_.bounds = line_.empty() ? context_.hand_over : hand_over_of(*line_.front());
  auto delay = Clock::duration::zero();
  for (const auto& waiter : line_) delay = std::max<Clock::duration>(delay, waiter->call().options.lock_delay);
  if (delay == Clock::duration::zero()) return open();
  delay_ = std::make_shared<Delay>(claims_, *claim_, delay);
  // Called only while the delay is ours: give_back() stops it.
  const auto must_wait = [self = shared_from_this()] {
    self->fail_impatient(1);
    if (self->line_.empty()) self->give_back();
  };
  const auto may_hold = [self = shared_from_this()](const std::optional<Refusal>& refusal) {
    self->tenure_.since = self->now();
    if (!refusal) return self->open();
    self->fail_all(*refusal);
    self->give_back();
  };
  delay_->wait({must_wait, may_hold});
}

void Cohort::open() {
  HOLDFAST_ASSERT(state_ == State::delayed && claim_, state_);
  state_ = State::open;
  // A delay may have lasted longer than the session.
  if (!claims_.session.valid()) return lose_all();
  if (!grant_next()) give_back();
}

void Cohort::must_wait(Claim& claim) {
  HOLDFAST_ASSERT(claim_.get() == &claim && !is_admitted(), state_);
  state_ = State::waiting;
  if (!kept_by_rival_until_ || now() >= *kept_by_rival_until_) fail_impatient(claim.ahead());
  fail_if_deadlocked();
  if (line_.empty()) give_back();
}

void Cohort::fail_impatient(std::size_t ahead) {
  std::erase_if(line_, [&](const auto& waiter) {
    if (waiter->patient()) return false;
    waiter->fail(busy(ahead));
    return true;
  });
}

void Cohort::fail_all(const Refusal& refusal) {
  for (const auto& waiter : std::exchange(line_, {})) waiter->fail(refusal);
}

void Cohort::failed(Claim& claim, Refusal refusal) {
  HOLDFAST_ASSERT(claim_.get() == &claim && holds_.empty() && !delay_, state_, holds_.size());
  claim_.reset();
  state_ = State::idle;
  kept_by_rival_until_.reset();
  fail_all(refusal);
}

void Cohort::broken(Claim& claim) {
  HOLDFAST_ASSERT(claim_.get() == &claim && is_admitted(), state_);
  lose_all();
}

void Cohort::revoked(Claim&) {
  tenure_.may_hand_over = false;
  for (const auto& hold : holds_) context_.deliver([hold] { hold->signal_revocation(); });
  give_back_kept();
}

void Cohort::fail_if_deadlocked() {
  // A copy: the search for circles looks at our line too.
  for (const auto& waiter : std::deque(line_)) {
    // A waiter that holds nothing cannot close a circle; but its claim may be admitted in some of its queues.
    if (!waiter->call().holds_others && wanted_.size() == 1) continue;
    if (!waiter->call().endless()) continue;
    auto refusal = context_.would_deadlock(*waiter, queue());
    if (!refusal) continue;
    waiter->fail(std::move(*refusal));
    std::erase(line_, waiter);
  }
}

// --------------------------------------------------------------------------------------------------------------- holds

void Cohort::claim_if_wanted() {
  if (claim_ || line_.empty()) return;
  HOLDFAST_ASSERT(state_ == State::idle && holds_.empty(), state_, holds_.size());
  card_ = line_.front()->call().card;
  auto wanted = wanted_;
  wanted.front().may_keep = keeping_ && keeping_->worthwhile(now());
  claim_ = std::make_shared<Claim>(claims_, shared_from_this(), std::move(wanted), card_);
  state_ = State::claiming;
  claim_->start();
}

// Grants to the first waiter in line that has not given up, or to all if the ticket is shared. False if there was none.
bool Cohort::grant_next() {
  HOLDFAST_ASSERT(state_ == State::open && claim_ && claim_->is_admitted(), state_);
  // One holder at a time, except readers.
  HOLDFAST_ASSERT(is_shared() || holds_.empty(), holds_.size());
  const auto& place = claim_->places().front();
  const auto& queue = wanted_.front().queue;
  const auto granted_at = now();
  bool granted = false;
  while (!line_.empty() && (is_shared() || !granted)) {
    const auto waiter = std::move(line_.front());
    line_.pop_front();
    const auto& options = waiter->call().options;
    auto hold = std::make_shared<Hold>(
        shared_from_this(),
        Hold::Grant{.token = claims_.backend.token_of(queue, place),
                    .tickets = claim_->ticket_names(),
                    .path = fmt::format("{}/{}", claims_.backend.path(queue), place.ticket.id),
                    .until = options.max_hold.count() > 0 ? granted_at + options.max_hold : Clock::time_point::max(),
                    .not_free_before = granted_at + options.min_hold},
        waiter->call(), claims_.session.validity());
    if (!waiter->grant(hold)) continue;
    granted = true;
    holds_.push_back(hold);
    HOLDFAST_ASSERT(is_shared() || holds_.size() == 1, holds_.size());
    limit_hold(hold);
  }
  return granted;
}

void Cohort::limit_hold(const std::shared_ptr<Hold>& hold) {
  if (hold->grant().until == Clock::time_point::max()) return;
  hold->limit = claims_.executor.at(hold->grant().until, [self = shared_from_this(), hold] { self->lose(hold); });
}

void Cohort::end(const std::shared_ptr<Hold>& hold) {
  hold->end(now());
  tenure_.not_free_before = std::max(tenure_.not_free_before, hold->grant().not_free_before);
  claims_.executor.cancel(std::exchange(hold->limit, spi::Executor::kNoTimer));
}

void Cohort::lose(const std::shared_ptr<Hold>& hold) {
  if (std::erase(holds_, hold) == 0) return;
  end(hold);
  context_.deliver([hold] { hold->signal_loss(); });
  // The next holder must have a larger token.
  tenure_.may_hand_over = false;
  tenure_.graceful = false;
  go_on();
}

// The ticket is given back with the holds: if the session goes on after all, it must not keep rivals out.
void Cohort::lose_all() {
  for (const auto& hold : std::exchange(holds_, {})) {
    end(hold);
    context_.deliver([hold] { hold->signal_loss(); });
  }
  if (claim_) give_back();
}

// -------------------------------------------------------------------------------------------------------- what we know

std::size_t Cohort::ahead_of_newcomer() const {
  return (!holds_.empty() || !claim_ ? 1 : claim_->ahead() + 1) + line_.size();
}

Refusal Cohort::busy(std::size_t ahead) const {
  Refusal refusal{Errc::timed_out, "timed out", std::nullopt, ahead};
  if (!holds_.empty()) {
    refusal.holder = card_;
  } else if (claim_) {
    refusal.holder = claim_->holder();
  }
  const auto path = claims_.backend.path(queue());
  if (ahead == 0) {
    refusal.message = fmt::format("timed out before {} could be reached", path);
  } else if (wanted_.front().mode == Mode::permit) {
    refusal.message = fmt::format("timed out: of the {} permits of {} not as many as {} were free",
                                  wanted_.front().permits->load(), path, wanted_.front().tickets);
  } else {
    const auto by = refusal.holder ? fmt::format(" by {}", refusal.holder->to_string()) : std::string();
    refusal.message = fmt::format("timed out: {} is held{}, {} ahead of us", path, by, ahead);
  }
  return refusal;
}

}  // namespace holdfast::lock
