// start.h -- finds the local engine, or starts it, while other processes may do the same.
//
//   find            an engine runs: done. Reads one file, does not wait. If this process could start a better one (conditions.h), ends it first
//   engine.start    otherwise: one process at a time from here on (flock); the others wait, and then find the engine that the first has started
//   spawn           holdfast local serve. It inherits the lock, and releases it when it serves: if its parent is killed, no client starts a
//                   second engine meanwhile
//   the pipe        says "ready", or what is wrong, or that the child has ended. As long as the reader keeps it open, the engine does not end
//                   unused: however late the reader runs, it finds the engine that it has started
#pragma once

#include <chrono>
#include <string>

#include "holdfast/error.h"
#include "local/announcement.h"

namespace holdfast::local {

struct StartFailure {
  Errc code;
  std::string sentence;
};

// Blocks, at most until `deadline`.
tl::expected<FoundPtr, StartFailure> find_or_start(std::chrono::steady_clock::time_point deadline);

// See set_local_command().
void set_command(std::string path);

// What it says when it serves; anything else is what went wrong.
inline constexpr std::string_view kReady = "ready";

}  // namespace holdfast::local
