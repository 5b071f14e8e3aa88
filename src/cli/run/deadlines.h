// deadlines.h -- when a command that runs under a lock is told to end, and when it is killed. Arithmetic only.
//
//      heard of us                  tell (TERM)           kill (KILL)    valid until        a rival may be granted
//      ----|-----------------------------|---------------------|--------------|----------------------|-------------> time
//                                        |<--- kill_after ---->|<-- margin -->|
//
// The first and everything after it moves on with every heartbeat that the storage service acknowledges.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "holdfast/clock.h"

namespace holdfast::cli {

enum class OnLost {
  term,    // told in time to end by itself, and killed before the lock can be a rival's
  kill,    // killed at the last moment, without a word
  ignore,  // goes on
};

struct Deadlines {
  Clock::time_point tell = Clock::time_point::max();
  Clock::time_point kill = Clock::time_point::max();

  bool operator==(const Deadlines&) const = default;
};

// How long a lease is good for when the service has just been heard, by the session that was asked for (docs/semantics.md, Loss).
Clock::duration nominal_validity(Clock::duration session_timeout);

// How long before the end of the lease every process must have been sent SIGKILL. Dead processes take a moment to be dead, and a
// guardian to get its turn.
Clock::duration kill_margin(Clock::duration validity);
// How much of the lease may be spent on that if the guardian gets its turn late, and on the time between TERM and KILL: not so much that
// beats which are a little late would end the command.
Clock::duration largest_margin(Clock::duration validity);

// How long the command has between TERM and KILL: as long as was asked for, if that leaves the service the time to be silent
// for a few heartbeats; a quarter of the validity, at most 5 s, if nothing was. The error says how long it may be.
tl::expected<Clock::duration, std::string> choose_kill_after(std::optional<Clock::duration> wanted,
                                                             Clock::duration validity);

// What is left of it in a lease that is good for this long now: a service may grant shorter sessions than it is asked for.
Clock::duration fit_kill_after(Clock::duration kill_after, Clock::duration validity);

struct HoldTerms {
  OnLost on_lost = OnLost::term;
  Clock::duration kill_after{};
  Clock::duration notice = Clock::duration::max();  // if less than kill_after: from TERM to KILL when the lease ends
  Clock::duration margin{};
  Clock::duration largest_margin{};                         // what the guardian may make of it
  Clock::time_point hold_until = Clock::time_point::max();  // --max-hold
};

Deadlines plan_deadlines(const HoldTerms& terms, Clock::time_point valid_until);

// For a guardian that may get its turn this late: a larger margin, and if need be a shorter time between TERM and KILL.
HoldTerms widen_margin(HoldTerms terms, Clock::duration lateness);

// It has to end now, whatever the lease says: a client asked for the lock back, or it is gone already.
Deadlines end_now(const HoldTerms& terms, Clock::time_point now);

}  // namespace holdfast::cli
