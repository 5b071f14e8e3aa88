// spawn.h -- the command `holdfast local serve`, as a process that has nothing to do with the one that started it: another session, no
// terminal, no descriptor of ours but the two it is meant to have, and nothing of our environment but what concerns it.
#pragma once

#include <string>

#include "local/state_directory.h"

namespace holdfast::local {

inline constexpr auto kEngineLog = "engine.log";
// What the log may grow to. It is emptied then: it tells why the engine is in trouble now, not what was last year.
inline constexpr long kLargestLog = 1 << 20;

// Empty, or why not. `ready` and `lock` are inherited under the numbers that its options name.
std::string spawn_engine(const StateDirectory& directory, int ready, int lock);

}  // namespace holdfast::local
