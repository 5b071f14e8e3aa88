// validity.h -- until when our session is provably alive.
//
// The service gives a session up `timeout` after it last heard of it. It has heard of us, at the latest, when we sent
// the last request that it acknowledged. So until
//
//     sent + timeout - margin
//
// nobody else can be granted what we hold. The margin covers
//  * clocks that run at different speeds and the time our own timer takes to fire (kDrift), and
//  * on an ensemble, what the leader has not been told yet: a follower reports the sessions it has heard every half tick
//    (report_lag), and when it dies before the report, the leader counts from the report before, which was about the
//    request one beat earlier. So report_lag + beat more.
#pragma once

#include <algorithm>
#include <atomic>

#include "holdfast/clock.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::lock {

struct Terms {
  Clock::duration timeout{};
  Clock::duration beat{};
  Clock::duration margin{};

  static Terms of(const spi::Session& session) {
    using std::chrono::milliseconds;
    // More often than the third of the timeout at which ZooKeeper's clients ping: every beat is margin on an ensemble.
    constexpr int kBeatsPerTimeout = 6;
    constexpr int kDrift = 20;  // a twentieth of the timeout: 300 ms of a 6 s session
    Terms terms;
    terms.timeout = session.timeout;
    terms.beat = std::clamp<Clock::duration>(session.timeout / kBeatsPerTimeout, milliseconds(20), milliseconds(5'000));
    terms.margin = session.timeout / kDrift;
    if (session.report_lag > Clock::duration::zero()) terms.margin += session.report_lag + terms.beat;
    return terms;
  }

  // False if a lease would end before the heartbeat after next could renew it.
  bool usable() const { return margin + 2 * beat < timeout; }
};

// The end of the current session's validity. Written inside the Executor, read by any thread.
class Validity {
 public:
  Clock::time_point until() const noexcept { return Clock::time_point(Clock::duration(until_.load())); }
  void set(Clock::time_point until) noexcept { until_.store(until.time_since_epoch().count()); }

 private:
  std::atomic<Clock::rep> until_{0};
};

}  // namespace holdfast::lock
