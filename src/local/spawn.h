// spawn.h -- starts the command `holdfast local serve` as a process that is independent of this one: another session, no terminal, no
// descriptor of this process except two, and only the environment variables that it needs.
#pragma once

#include <string>

#include "local/state_directory.h"

namespace holdfast::local {

inline constexpr auto kEngineLog = "engine.log";
// The log is emptied when it is larger than this: it is for the present trouble, not for last year's.
inline constexpr long kLargestLog = 1 << 20;

// Empty, or why it failed. The child inherits `ready` and `lock` with the numbers that its options name.
std::string spawn_engine(const StateDirectory& directory, int ready, int lock);

}  // namespace holdfast::local
