// history.h -- what happened in a demonstration, and whether the lock held: a pure function of the record.
//
// All times are of one machine's clock, so those of different processes can be compared.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "holdfast/clock.h"
#include "holdfast/fence.h"

namespace holdfast::cli::demo {

//   deed       by                who noticed      means
//   granted    a worker          itself           its acquire returned
//   holding    a worker          itself           still at work; valid_until has moved on
//   wrote      a worker          the database     a write was admitted
//   refused    a worker          the database     a write was not
//   released   a worker          itself           it is about to give the lock back
//   lost       a worker          itself           it was told; valid_until is where its hold had ended
//   killed     the demo          the demo         kill -9
//   paused     the demo          the demo         SIGSTOP
//   resumed    the demo          the demo         SIGCONT
enum class Deed { granted, holding, wrote, refused, released, lost, killed, paused, resumed };

struct Event {
  Deed deed;
  std::string worker;
  Token token = 0;
  Clock::time_point at{};
  Clock::time_point valid_until{};  // of granted, holding and lost
};

struct History {
  // Writes in the order in which the database decided them; other deeds in any order.
  std::vector<Event> events;
  // Tokens of the tickets in the queue, in its order, each time the watcher looked.
  std::vector<std::vector<Token>> sightings;
};

struct Verdict {
  // What broke each promise; empty if nothing did.
  std::vector<std::string> exclusion;
  std::vector<std::string> order;
  std::vector<std::string> tokens;
  // What a demonstration must have shown and this one did not: without it, the rest proves little.
  std::vector<std::string> not_shown;

  std::size_t holds = 0;
  std::size_t sightings = 0;
  std::size_t writes = 0;
  std::size_t late_writes = 0;  // refused

  bool held() const { return exclusion.empty() && order.empty() && tokens.empty() && not_shown.empty(); }
};

// Mutual exclusion, and tokens that grow from write to write: as hold_check.h has it.
// Order: of two tickets in one sighting that were both granted, the one ahead was granted first.
// Tokens: they grow from grant to grant as well.
Verdict check(const History& history);

}  // namespace holdfast::cli::demo
