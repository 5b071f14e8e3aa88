// waiting_sentence.h -- the holder that a command waits for, in words.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/inspect.h"

namespace holdfast::cli {

// Whose ticket is ours.
struct TicketOwner {
  std::string host;
  std::int64_t pid = 0;
};
TicketOwner this_process();

// One sentence about the first of these names that a rival holds; without a name of ours in any queue it leaves out the place.
std::string waiting_sentence(const std::vector<LockInfo>& locks, const TicketOwner& us,
                             std::chrono::system_clock::time_point now);

// "x is held by ...", for those who do not wait or have waited long enough.
std::string held_sentence(const std::vector<LockInfo>& locks, const TicketOwner& us,
                          std::chrono::system_clock::time_point now);

}  // namespace holdfast::cli
