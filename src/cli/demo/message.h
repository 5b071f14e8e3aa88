// cli/demo/message.h -- what a worker of the demonstration says to it, one line each.
//
//   worker                                             demo
//   "ready"     wants the lock (again)                 "go", or "stop": end
//   "granted"   has it                                 "go", at once or after a fault was played
//   "holding"   is at work with it                     "go", the same
//   "write"     writes to the database                 "go": written. "refused": the token is too small
//   "released"  is about to give it back               no answer
//   "lost"      was told that it is lost (any time)    no answer
//   "failed"    ends, with a reason                    no answer
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/clock.h"
#include "holdfast/fence.h"

namespace holdfast::cli::demo {

enum class Says { ready, granted, holding, write, released, lost, failed };

struct WorkerLine {
  Says says = Says::ready;
  Token token = 0;
  Clock::time_point at{};
  Clock::time_point valid_until{};
  std::string reason{};  // of failed
};

// With the newline, and without any other.
std::string to_line(const WorkerLine& line);
// Nothing if it is none.
std::optional<WorkerLine> parse_worker_line(std::string_view line);

inline constexpr std::string_view kGo = "go";
inline constexpr std::string_view kStop = "stop";
inline constexpr std::string_view kRefused = "refused";

}  // namespace holdfast::cli::demo
