// session_clock.h -- the clock by which sessions on Redis end. It is driven by the clients, because the server's own cannot be trusted.
//
// Redis has only the wall clock, which operators and time servers set forwards and backwards; a time to live of a key ends early or late
// by as much. So the store keeps a number, the session clock, that only clients move on. What a client can prove by its own clock, which is
// never set, is this: "when the answer to a request arrived, the session clock had shown v; since then at least d has passed". The store adds
// d if the clock still shows v. Then:
//
//     after a sign of life of a session, the session clock moves on by no more than the time that has really passed, and `most` besides
//
// `most` is what one claim may add. For let the sign of life come when the clock shows v. The next claim that succeeds was about v, which
// its client may have seen long before: it adds up to `most` at once. Every later one is about a value that the clock showed only after
// the sign of life, so its client saw it after that, and the d that it adds have passed after that; and no two of them overlap, because
// each starts from the value at which the one before ended. A claim that comes twice, or late, finds another value and adds nothing.
//
// So a session that is given the time `timeout + most` on this clock lasts `timeout` after its last sign of life, by the clock of any client,
// whatever the server's own clock does, and however long clients, server and network are stopped. What is assumed is what validity.h assumes
// of ZooKeeper's leader: that clocks run at the same speed but for the margin.
//
// A dead session ends as soon as living clients have let the clock move on: `timeout + most` later, and the pause between two of their requests.
//
// Data that is lost (a restart, a failover to a replica that is behind): signs of life may be lost that were acknowledged. So a store that finds
// itself on another instance than the one that wrote last ends all sessions, and begins none until the longest of them would have ended: it
// is closed for that time, by the same clock. See docs/adr/0026; session_clock_test.cc has all of this as a model.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "holdfast/clock.h"

namespace holdfast::redis {

// What the session clock shows. Where it begins means nothing.
using SessionTime = std::chrono::microseconds;

// One claim adds no more than this part of the shortest timeout of all living sessions. More than a beat (a sixth), so that a client
// that only beats drives the clock at full speed.
inline constexpr int kClaimsPerTimeout = 5;

constexpr SessionTime most_per_claim(SessionTime shortest_timeout) { return shortest_timeout / kClaimsPerTimeout; }

// What a client claims: that the session clock showed `seen`, and that `passed` has gone by since it knew.
struct Claim {
  SessionTime seen{};
  SessionTime passed{};  // 0: nothing is claimed
};

// What the clock shows after a claim.
constexpr SessionTime moved_on(SessionTime now, const Claim& claim, SessionTime most) {
  return claim.seen == now ? now + std::clamp(claim.passed, SessionTime(0), most) : now;
}

// When a session ends that gives a sign of life when the clock shows `now`. Not before it: at `ends` it is still alive.
constexpr SessionTime ends(SessionTime now, SessionTime timeout) { return now + timeout + most_per_claim(timeout); }

// Until when a store stays closed that cannot know which signs of life it has lost.
constexpr SessionTime closed_until(SessionTime now, SessionTime longest_timeout) { return ends(now, longest_timeout); }

// What one client knows about the session clock over one connection.
class ClockWitness {
 public:
  // A connection begins: it may lead to another instance, where the same number means another moment.
  void forget() { seen_.reset(); }

  // An answer that has arrived by now says what the clock shows.
  void saw(SessionTime shown, Clock::time_point arrived) {
    if (seen_ && seen_->shown == shown) return;  // it has stood still since
    seen_ = Seen{shown, arrived};
  }

  // To go with a request that is sent now. Only if enough has passed: every claim loses the time that its answer is under way, and makes
  // those of other clients void.
  Claim claim(Clock::time_point now, SessionTime timeout) const {
    if (!seen_) return {};
    const auto passed = std::chrono::floor<SessionTime>(now - seen_->arrived);
    if (passed < most_per_claim(timeout) / 2) return {};
    return {seen_->shown, passed};
  }

 private:
  struct Seen {
    SessionTime shown;
    Clock::time_point arrived;
  };
  std::optional<Seen> seen_;
};

}  // namespace holdfast::redis
