#include "lock/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace holdfast::lock {

void Session::connected(const spi::Session& session) {
  if (closed_) return;
  const bool replaced = session.id != id_;
  if (replaced) end_validity();  // in case the store did not say that the old one is over
  id_ = session.id;
  password_ = session.password;
  terms_ = Terms::of(session);
  connected_ = true;
  if (!terms_.usable()) {
    const auto ms = [](Clock::duration d) { return std::chrono::duration_cast<std::chrono::milliseconds>(d).count(); };
    watcher_.session_refused(fmt::format(
        "the service granted a session timeout of {} ms, of which safety margins take {} ms and a heartbeat {} ms; "
        "ask for a longer session timeout",
        ms(terms_.timeout), ms(terms_.margin + terms_.notice + terms_.anchor_age()), ms(terms_.beat)));
    return;
  }
  if (replaced) {
    proof_.begin(session.asked);
  } else {
    proof_.reconnect();
  }
  prove();
  watcher_.session_connected(replaced);
  watcher_.beat();  // the validity may be about to end: do not wait for the next one
  schedule_beat();
}

void Session::disconnected() {
  connected_ = false;
  if (closed_) return;
  if (state_ == State::good) enter(State::jeopardy);
  watcher_.session_disconnected();
}

void Session::expired(spi::SessionId session) {
  if (closed_ || session != id_) return;
  connected_ = false;
  end_validity();
  watcher_.session_disconnected();
}

void Session::acknowledged(spi::SessionId session, Clock::time_point sent, bool by_keeper) {
  if (closed_ || session != id_ || !connected_) return;
  // After a pause of this process the answer can come before the timer runs. A validity that has ended stays so.
  if (!valid()) end_validity();
  proof_.acknowledge(terms_, sent, executor_.now(), by_keeper);
  prove();
}

// Moves the validity to what is proven. It may also become shorter, if another server has granted a shorter timeout.
void Session::prove() {
  HOLDFAST_ASSERT(!closed_, id_);
  const auto until = proof_.anchor() + terms_.timeout - terms_.margin;
  if (until - terms_.notice <= executor_.now()) {
    if (valid()) end_validity();
    return;
  }
  // No longer than the timeout, from the moment at which the service is proven to have heard of this client.
  HOLDFAST_ASSERT(until - proof_.anchor() <= terms_.timeout, until, proof_.anchor());
  validity_->set(until);
  watch_validity();
  if (state_ != State::good && connected_) enter(State::good);
}

void Session::close() {
  if (std::exchange(closed_, true)) return;
  connected_ = false;
  executor_.cancel(beat_timer_);
  end_validity(State::closed);
}

void Session::enter(State next) {
  const State before = state_;
  // The table in session.h.
  HOLDFAST_ASSERT(before != State::closed && next != State::fresh, before, next);
  HOLDFAST_ASSERT(next != State::good || before != State::good, before, next);
  HOLDFAST_ASSERT(next != State::jeopardy || before == State::good, before, next);
  HOLDFAST_ASSERT(next != State::lost || before == State::good || before == State::jeopardy, before, next);
  state_ = next;
  switch (next) {
    case State::fresh: break;
    case State::good:
      watcher_.state_changed(before == State::fresh ? ConnectionState::connected : ConnectionState::reconnected);
      break;
    case State::jeopardy: watcher_.state_changed(ConnectionState::jeopardy); break;
    case State::lost: watcher_.state_changed(ConnectionState::lost); break;
    case State::closed:
      // If there never was a session, the listener has not been told anything before either.
      if (before != State::fresh) watcher_.state_changed(ConnectionState::closed);
      break;
  }
}

void Session::end_validity(State next) {
  executor_.cancel(validity_timer_);
  validity_timer_ = spi::Executor::kNoTimer;
  if (state_ == State::good || state_ == State::jeopardy) {
    // Never later than valid_until() has said before: after a pause, the end lies in the past.
    validity_->set(std::min(validity_->until(), executor_.now()));
    validity_ = std::make_shared<Validity>();
    HOLDFAST_ASSERT(!valid(), id_);
    watcher_.validity_ended();
  } else if (next == State::lost) {
    return;  // nothing could be lost
  }
  enter(next);
}

// One timer, set again only when it fires or would fire too late, because acknowledgements come by the thousand.
void Session::watch_validity() {
  const auto due = ends();
  HOLDFAST_ASSERT(!closed_, id_);
  if (validity_timer_ != spi::Executor::kNoTimer) {
    if (due >= validity_alarm_) return;
    executor_.cancel(validity_timer_);
  }
  validity_alarm_ = due;
  validity_timer_ = executor_.at(due, [this] {
    validity_timer_ = spi::Executor::kNoTimer;
    if (valid()) {
      watch_validity();
    } else {
      end_validity();
    }
  });
}

void Session::schedule_beat() {
  HOLDFAST_ASSERT(!closed_ && terms_.beat > Clock::duration::zero(), closed_, terms_.beat);
  executor_.cancel(beat_timer_);
  beat_timer_ = executor_.at(executor_.now() + terms_.beat, [this] {
    if (state_ == State::good && executor_.now() - proof_.newest() > 2 * terms_.beat) enter(State::jeopardy);
    if (!connected_) return;  // connected() starts anew
    watcher_.beat();
    schedule_beat();
  });
}

}  // namespace holdfast::lock
