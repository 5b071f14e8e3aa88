// scheduling.h -- getting one's turn on a processor that many want.
//
// A process at a niceness of 19 beside busy ones waits for seconds until it runs, and a guardian that is seconds late is of no use. What it
// may do about that depends on its privileges:
//
//   CAP_SYS_NICE or RLIMIT_RTPRIO   real time: runs before everything that is not
//   RLIMIT_NICE                     a smaller niceness
//   none                            short turns: on Linux 6.12 and newer, a thread that asks for little at a time gets it sooner
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace holdfast::cli {

// As the kernel has it (sched_setattr(2)).
struct Scheduling {
  std::uint32_t size = 0;
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t niceness = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

// Of the calling thread.
Scheduling own_scheduling();
// For the calling thread: gives up what hurry() has gained.
void restore_scheduling(const Scheduling& before);

enum class Turn {
  first,  // before all that is not as urgent
  early,  // with a niceness below 0
  usual,  // as it was started, at most with shorter turns
};
enum class Urgency { most, less };
// As much as is allowed for that thread; 0: the calling one. Where both may run first, those that are less urgent run after the others.
Turn hurry(pid_t thread, Urgency urgency);
// Only the last of the three, which takes nothing from others. For the calling thread, and those it makes.
void take_short_turns();

// The kernel shares the processor among sessions, whatever the niceness of the processes in them (sched(7), autogroup).
bool sessions_are_equal();

}  // namespace holdfast::cli
