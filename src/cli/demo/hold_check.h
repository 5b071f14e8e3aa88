// hold_check.h -- was it a lock, and was its resource fenced? A pure function of what clients and resource have seen.
//
// It judges the demonstration and the runs of tests/chaos.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "holdfast/clock.h"
#include "holdfast/fence.h"

namespace holdfast::cli::demo {

//   kind       seen by         means
//   granted    the client      its acquire returned
//   told       the client      it knows until when the hold is valid, or was
//   released   the client      it is about to give the lock back
//   wrote      the resource    a write was admitted
//   refused    the resource    a write was not
//
// All times are of one machine's clock. Writes stand in the order in which the resource decided them, and after the grant of their hold; the
// others stand anywhere after that grant.
struct HoldEvent {
  enum class Kind { granted, told, released, wrote, refused };

  Kind kind;
  std::string holder;  // one life of one client
  Token token = 0;
  Clock::time_point at{};
  Clock::time_point valid_until{};  // as the client knows it; zero: this event does not say
};

// Between `from` and until() no other client may be granted: the holder was promised that until `promised`, and gave it up at `released`.
struct CheckedHold {
  std::string holder;
  Token token = 0;
  std::size_t granted = 0;  // the number of its event
  std::size_t promise = 0;  // of the event that told `promised`, which is the latest valid_until
  Clock::time_point from{};
  Clock::time_point promised{};
  std::optional<Clock::time_point> released{};

  Clock::time_point until() const { return released && *released < promised ? *released : promised; }
};

//   rule                what is wrong
//   overlapping_holds   a client was granted while another hold was valid by its own promise, and not released
//   shared_token        a token was granted twice, or a client wrote with one that was not granted to it
//   token_order         of two holds that wrote, the later one has no larger token
//   stale_write         a write was admitted after one with a larger token
//   refused_write       a write was refused, although no larger token had written
//   overlapping_writes  admitted writes of two holds interleave
struct HoldObjection {
  std::string rule;
  std::string what;
  std::vector<std::size_t> events;  // the numbers of those that show it
};

struct HoldVerdict {
  std::vector<CheckedHold> holds;  // in the order in which they began
  std::vector<HoldObjection> objections;
};

HoldVerdict check_holds(std::span<const HoldEvent> events);

}  // namespace holdfast::cli::demo
