// process_spawn.h -- fork and exec from a program with threads.
#pragma once

#include <sys/types.h>

#include "process.h"

namespace holdfast::testing {

struct Spawned {
  pid_t pid = -1;
  int stdin_fd = -1;   // our end; close it; -1 if it is a terminal
  int stdout_fd = -1;  // our end; -1 if stdout goes to a file or a terminal
};

// Throws std::system_error, and then there is no child.
Spawned spawn(const ProcessOptions& options);

}  // namespace holdfast::testing
