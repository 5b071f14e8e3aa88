#include "cli/run/command_processes.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "cli/run/scheduling.h"
#include "cli/run/shared_engine.h"
#include "cli/run/wrapper_signals.h"

namespace holdfast::cli {

std::vector<ProcessInfo> command_processes(std::string_view run_id) {
  return to_be_ended(descendants_of(::getpid()), run_id);
}

// To die, a process needs the processor, too: what it was doing in the kernel is done first, and its files are closed. But it must have been killed
// before, or it would use what it is given.
void kill_and_hurry(std::string_view run_id) {
  const auto found = command_processes(run_id);
  for (const auto& process : found) ::kill(process.pid, SIGKILL);
  for (const auto& process : found) {
    for (const auto thread : threads_of(process.pid)) hurry(thread, Urgency::less);
  }
}

bool kill_by_environment(std::string_view run_id) {
  const auto found = processes_with_environment(run_id);
  for (const auto process : found) ::kill(process, SIGKILL);
  return !found.empty();
}

// A process in another PID namespace whose parent has died belongs to the init of that namespace, not to us.
bool kill_escaped(std::string_view run_id, Clock::time_point deadline) {
  constexpr int kLookAgainAfterMs = 5;
  while (kill_by_environment(run_id)) {
    if (Clock::now() >= deadline) return false;
    ::poll(nullptr, 0, kLookAgainAfterMs);
  }
  return true;
}

void forward_signal(pid_t command, bool own_group, int signal) {
  const pid_t group = process_info(command).group;
  for (const auto& process : descendants_of(::getpid())) {
    if (process.group != group) continue;
    // In a group that no other one of its session has children in, as that of a command without a terminal, the kernel stops nothing but by SIGSTOP.
    const bool stop = own_group && stops_us(signal) && leaves_to_kernel(process.pid, signal);
    ::kill(process.pid, stop ? SIGSTOP : signal);
  }
}

}  // namespace holdfast::cli
