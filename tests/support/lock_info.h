// lock_info.h -- locks as Client::inspect() returns them, made up.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/inspect.h"

namespace holdfast::testing {

// Of a process `program` (pid 8) on web1.
inline TicketInfo ticket_info(const std::string& program, bool holds, std::chrono::system_clock::time_point since = {},
                              LockMode mode = LockMode::exclusive) {
  TicketInfo made;
  made.id = "_c_" + program;
  made.mode = mode;
  made.holds = holds;
  made.recipe = "Holdfast";
  made.token = 20;
  made.session = 0x1f;
  made.since = since;
  made.card.host = "web1";
  made.card.pid = 8;
  made.card.program = program;
  return made;
}

inline LockInfo lock_info(const std::string& name, std::vector<TicketInfo> tickets) {
  LockInfo made;
  made.name = name;
  made.path = "/app/" + name;
  made.tickets = std::move(tickets);
  return made;
}

}  // namespace holdfast::testing
