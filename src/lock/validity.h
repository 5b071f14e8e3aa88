// validity.h -- until when a client's session is provably alive.
//
// The service gives a session up when it has not heard of it for `timeout`. So if it is proven that it heard of us at some
// moment or later (the anchor), no rival can be granted what we hold before
//
//     anchor + timeout - margin
//
// where the margin covers clocks that run at different speeds. That moment is Lease::valid_until(). Our own timer is due a notice
// earlier, so that a holder has been told by then although threads are never woken exactly on time.
//
// A single server keeps the sessions itself: it heard of us when it answered, so not before we sent the request. The anchor is
// the time at which the last acknowledged request was sent.
//
// In an ensemble the leader keeps the sessions, and the follower that we talk to answers reads on its own. It reports which sessions it has
// heard with its reply to the leader's ping, every half tick, and nothing tells us when. It may die before the report, or be cut off and
// go on answering. So an answer of the follower proves nothing. Three beats B, P and K do that went through the leader on one
// connection, each sent after the one before was answered:
//
//     a sent, answered ... B sent, answered ... P sent ... [leader answers P] ... P answered ... K sent ... K answered
//             |<- 3/4 lag ->|         |<-1/4->|
//
// Let p be the last ping that the leader sent before it answered P. It reached the follower ahead of that answer (one TCP stream), so
// the follower's report left before P was answered, and reached the leader ahead of K (one TCP stream). That report covers everything
// the follower had heard before p was sent. How old can p be? While the leader runs, it pings every half lag, at most a quarter late; but
// it may be stopped at any moment and for any time: by its garbage collector, its host, an operator.
//   * It was not stopped between the time when the ping after p was due and its answer to P: then p was sent no earlier than 3/4 lag
//     before that answer, and so before P was sent.
//   * It was stopped in between: then it answered P less than a quarter lag after it had gone on, or it would have pinged first. B was answered
//     earlier than that, so before the stop; and no later than 3/4 lag after p, or it would have pinged first. So p was sent no earlier
//     than 3/4 lag before B was.
// Either way the report covers every beat a that was answered 3/4 lag before B was sent. (Answered, not sent: it may be on the wire while
// the ping passes.) The anchor is the newest such a. This assumes that between two stops the leader runs for a quarter lag. Without any
// stop it also holds if pings come as rarely as once in a lag. See docs/adr/0005; ensemble_model.h is this as a program.
//
// A handshake goes through the leader as well. It counts as heard when the session was asked for or, if the session goes on, when the
// last acknowledged request of the connection before was sent.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>

#include "base/assert.h"
#include "holdfast/clock.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::lock {

struct Terms {
  Clock::duration timeout{};
  Clock::duration report_lag{};
  Clock::duration beat{};
  Clock::duration margin{};
  Clock::duration notice{};

  static Terms of(const spi::Session& session) {
    using std::chrono::milliseconds;
    // ZooKeeper's clients ping every third of the timeout; this is more often. On an ensemble the anchor is up to four beats and a lag
    // old, so more often still.
    constexpr int kBeatsPerTimeout = 6;
    constexpr int kBeatsPerTimeoutOnAnEnsemble = 15;
    constexpr int kMargin = 20;  // a twentieth of the timeout: 300 ms of a 6 s session
    // A fortieth for a thread to wake up; half a second is enough for any thread that runs at all.
    constexpr int kNotice = 40;
    const bool ensemble = session.report_lag > Clock::duration::zero();
    const auto beat = session.timeout / (ensemble ? kBeatsPerTimeoutOnAnEnsemble : kBeatsPerTimeout);
    return {.timeout = session.timeout,
            .report_lag = session.report_lag,
            .beat = std::clamp<Clock::duration>(beat, milliseconds(20), milliseconds(5'000)),
            .margin = session.timeout / kMargin,
            .notice = std::min<Clock::duration>(session.timeout / kNotice, milliseconds(500))};
  }

  bool ensemble() const { return report_lag > Clock::duration::zero(); }
  // How old the anchor is when all goes well.
  Clock::duration anchor_age() const { return ensemble() ? report_lag + 4 * beat : beat; }
  // False if a lease would end before the next beat could renew it.
  bool usable() const { return margin + notice + anchor_age() + beat < timeout; }
};

// What the service has acknowledged, and the anchor that follows from it.
class Proof {
 public:
  Clock::time_point anchor() const { return anchor_; }
  // When the newest answered request was sent, whichever server answered.
  Clock::time_point newest() const { return newest_; }

  // A new session, asked for at that moment.
  void begin(Clock::time_point asked) {
    *this = Proof();
    anchor_ = newest_ = asked;
  }

  // The same session on another connection.
  void reconnect() {
    anchor_ = std::max(anchor_, newest_);
    beats_.clear();
  }

  // A request sent at `sent` was answered now. `by_keeper`: by the server that keeps the sessions.
  void acknowledge(const Terms& terms, Clock::time_point sent, Clock::time_point now, bool by_keeper) {
    newest_ = std::max(newest_, sent);
    HOLDFAST_ASSERT(anchor_ <= newest_, anchor_, newest_);
    if (!by_keeper) return;
    if (!terms.ensemble()) {
      anchor_ = std::max(anchor_, sent);
      return;
    }
    const auto answered_by = [this](Clock::time_point limit) {
      const auto found =
          std::find_if(beats_.rbegin(), beats_.rend(), [&](const Beat& b) { return b.answered <= limit; });
      return found == beats_.rend() ? nullptr : &*found;
    };
    // K is this beat. The names are those of the text above.
    const auto* p = answered_by(sent);
    const auto* b = p != nullptr ? answered_by(p->sent - terms.report_lag / 4) : nullptr;
    const auto* a = b != nullptr ? answered_by(b->sent - terms.report_lag * 3 / 4) : nullptr;
    if (a != nullptr) anchor_ = std::max(anchor_, a->sent);
    beats_.push_back({sent, now});
    while (!beats_.empty() && beats_.front().sent < anchor_) beats_.pop_front();
  }

 private:
  // A request that went through the leader, on this connection.
  struct Beat {
    Clock::time_point sent;
    Clock::time_point answered;
  };

  Clock::time_point anchor_{};
  Clock::time_point newest_{};
  std::deque<Beat> beats_;  // in the order of sending; none is older than the anchor
};

// The end of one stretch of validity. Written inside the Executor, read by any thread. A stretch that has ended is never
// written again: holds of the next one have a Validity of their own.
class Validity {
 public:
  Clock::time_point until() const noexcept { return Clock::time_point(Clock::duration(until_.load())); }
  void set(Clock::time_point until) noexcept { until_.store(until.time_since_epoch().count()); }

 private:
  std::atomic<Clock::rep> until_{0};
};

}  // namespace holdfast::lock
