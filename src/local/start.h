// start.h -- finding the local engine, or starting it, beside all other processes that do the same at that moment.
//
//   find            runs: done. One file, no waiting. Unless we would start a better one (conditions.h): then it is told to end
//   engine.start    else: one at a time from here on (flock); the others wait, and then find what the first has started
//   spawn           holdfast local serve. It has the lock, too, and lets go of it when it serves: should its parent be killed,
//                   no client starts a second one meanwhile
//   the pipe        says "ready", or what is wrong, or that it has ended. While its reader keeps it open, the engine does not end unused: however late
//                   the reader gets the processor, it comes to the engine that it has started
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
