// process_tree.h -- what a process has started, however it tried to get away, and who started it.
//
// A process that is a subreaper (PR_SET_CHILD_SUBREAPER) inherits the orphans among its descendants, so double forks and new
// sessions do not leave the tree below it. Read from /proc, which is not a snapshot: who kills looks again until nothing is left.
//
// Where the kernel lists the children of a thread (CONFIG_PROC_CHILDREN), looking costs as much as the tree is large, else as much as there
// are processes on the machine.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/clock.h"

namespace holdfast::cli {

struct ProcessInfo {
  pid_t pid = 0;
  std::string name{};  // at most 15 characters of it
  pid_t parent = 0;
  pid_t group = 0;
  unsigned long long started = 0;  // in clock ticks since the machine was started
  long threads = 0;
  bool stopped = false;
  bool dead = false;  // waits to be reaped
};

// Of one line of /proc/PID/stat; pid 0 if it is none. For the tests.
ProcessInfo parse_process_stat(std::string_view stat);

// pid 0 if there is no such process.
ProcessInfo process_info(pid_t pid);

// Those alive below `root`, parents before children, without `except` and what is below them. Not all of them if it takes until `deadline`.
std::vector<ProcessInfo> descendants_of(pid_t root, const std::vector<pid_t>& except = {},
                                        Clock::time_point deadline = Clock::time_point::max());

// Its parent, the parent's parent and so on, as far as they can be seen.
std::vector<pid_t> ancestors_of(pid_t pid);

// Whether the process does with this signal what processes do that have not said what they do.
bool leaves_to_kernel(pid_t pid, int signal);

// False: it was killed already, and dies as soon as the kernel lets it; or it is another user's; or gone.
bool can_be_killed(pid_t pid);

// The threads of a process; none if it is gone.
std::vector<pid_t> threads_of(pid_t pid);

// All children of this process, also those that wait to be reaped, if it has one thread. None is missing: the kernel appends to the list that it
// shows, and takes away from it only what this process reaps. Nothing if the kernel does not list them.
std::optional<std::vector<pid_t>> own_children();

// What a process was started with, variables separated by zeros; empty if it is gone or another user's.
std::string environment_of(pid_t pid);

// Those alive that were started with `text` in their environment, wherever in the tree they are; of other users none. Costs as much as there
// are processes on the machine.
std::vector<pid_t> processes_with_environment(std::string_view text);

// One pass: SIGKILL to every process below `root` but those of that name. How many it found; those of other users (sudo) are counted, and not
// killed.
std::size_t kill_descendants(pid_t root, const std::vector<pid_t>& except = {}, std::string_view except_name = {});

}  // namespace holdfast::cli
