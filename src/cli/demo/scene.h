// scene.h -- the demonstration at one moment, as rows of text that fit a terminal of 80 by 24.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/view/colour.h"
#include "holdfast/fence.h"

namespace holdfast::cli::demo {

inline constexpr std::size_t kSceneColumns = 79;  // one less than 80: the cursor stays in its row
inline constexpr std::size_t kSceneRows = 22;     // with the line that the shell puts below

struct Row {
  std::string text;
  Tone tone = Tone::plain;
};

struct LogEntry {
  double seconds = 0;
  std::string text;
  Tone tone = Tone::plain;
};

// "  3.21 s  A  granted, token 41"
Row log_row(const LogEntry& entry);

struct Scene {
  struct Worker {
    std::string name;
    pid_t pid = 0;
    enum class State { starting, idle, waiting, holding, paused, killed, ended } state = State::starting;
    Token token = 0;        // of its ticket
    std::size_t ahead = 0;  // how many are before it in the queue
    double held_for = 0;    // seconds, of a holder
    double provably_for =
        0;  // seconds from now until its hold would end without a sign of the service; may be negative
  };

  std::string lock;
  std::string service;
  double seconds = 0;
  std::vector<Worker> workers;
  std::size_t writes = 0;
  std::string last_writer;  // empty: no worker has written
  Token last_token = 0;
  std::size_t refused = 0;
  std::vector<LogEntry> log;  // the newest last; what does not fit is left out
};

// Holders first, then those who wait, in the order of the queue, then the others.
std::vector<Row> rows_of(const Scene& scene);

}  // namespace holdfast::cli::demo
