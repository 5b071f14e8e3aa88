// guard_message.h -- what the wrapper and the guardian say to each other, over a pair of sockets that keeps messages whole.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>

#include "cli/run/deadlines.h"

namespace holdfast::cli {

// As long as ZooKeeper's, and every server's that we know of; Redis' sessions have none.
using SessionPassword = std::array<char, 16>;

struct ToGuardian {
  enum class Kind : std::int32_t {
    start,    // run the command; valid_until, terms, token
    lease,    // valid_until, once more
    end,      // it has to end now, whatever the lease says
    done,     // we know how the command ended; what it left in the background may go on
    signal,   // send this to the command and what it started, as far as they are in its process group
    session,  // the one to end if we are killed; session, password
  };

  Kind kind = Kind::lease;
  std::int32_t signal = 0;
  Clock::time_point valid_until{};
  HoldTerms terms{};
  std::uint64_t token = 0;
  std::int64_t session = 0;  // 0: none, or not any more
  SessionPassword password{};
};

struct FromGuardian {
  enum class Kind : std::int32_t {
    started,      // value: the command's pid
    not_started,  // value: errno of execve()
    stopped,      // value: the signal that stopped it
    told,         // TERM was sent, because of the deadlines
    ended,        // value: as waitpid() has it
    late,         // the guardian gets its turn later than it has said; by: how much later than it can make good
  };

  Kind kind = Kind::started;
  std::int32_t value = 0;
  // With `ended`:
  bool told = false;
  bool killed = false;     // all of it
  bool maximum = false;    // because of --max-hold, not of the lock
  bool said = false;       // the guardian has told the person why, because we stood still
  std::uint32_t left = 0;  // processes that could not be killed
  Clock::duration by{};    // with `late`
};

}  // namespace holdfast::cli
