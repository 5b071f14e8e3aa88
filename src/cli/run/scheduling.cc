#include "cli/run/scheduling.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

namespace holdfast::cli {
namespace {

constexpr int kMostUrgent = -20;
// The least that the kernel takes. Older kernels do not look at it.
constexpr std::uint64_t kShortTurn = 100'000;  // ns

bool set(pid_t thread, Scheduling wanted) {
  wanted.size = sizeof wanted;
  return ::syscall(SYS_sched_setattr, thread, &wanted, 0U) == 0;
}

Scheduling get(pid_t thread) {
  Scheduling found;
  if (::syscall(SYS_sched_getattr, thread, &found, sizeof found, 0U) != 0) return {};
  return found;
}

// What RLIMIT_NICE allows at best.
int smallest_niceness() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NICE, &limit) != 0) return 20;
  constexpr rlim_t kAll = 40;
  return 20 - static_cast<int>(std::min(limit.rlim_cur, kAll));
}

std::string small_file(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void shorten_turns(pid_t thread, const Scheduling& before) {
  if (before.policy != SCHED_OTHER && before.policy != SCHED_BATCH) return;
  set(thread, {.policy = before.policy, .niceness = before.niceness, .runtime = kShortTurn});
}

}  // namespace

Scheduling own_scheduling() { return get(0); }

void restore_scheduling(const Scheduling& before) {
  if (before.size != 0) set(0, before);
}

Turn hurry(pid_t thread, Urgency urgency) {
  const auto before = get(thread);
  if (before.policy == SCHED_FIFO || before.policy == SCHED_RR || before.policy == SCHED_DEADLINE) return Turn::first;
  const std::uint32_t priority = urgency == Urgency::most ? 2 : 1;
  if (set(thread, {.policy = SCHED_FIFO, .priority = priority})) return Turn::first;
  for (const int niceness : {kMostUrgent, smallest_niceness()}) {
    if (niceness >= before.niceness) continue;
    if (set(thread, {.policy = SCHED_OTHER, .niceness = niceness, .runtime = kShortTurn})) {
      return niceness < 0 ? Turn::early : Turn::usual;
    }
  }
  shorten_turns(thread, before);
  return before.niceness < 0 ? Turn::early : Turn::usual;
}

bool sessions_are_equal() {
  if (small_file("/proc/sys/kernel/sched_autogroup_enabled") != "1\n") return false;
  // Not those in a control group of the processor: cgroup v1, and then v2, where this cannot be told from other groups.
  std::istringstream groups(small_file("/proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    const auto path = line.rfind(':');
    const bool counts = line.starts_with("0::") || line.find(":cpu") != std::string::npos;
    if (counts && line.substr(path + 1) != "/") return false;
  }
  return true;
}

void take_short_turns() { shorten_turns(0, get(0)); }

}  // namespace holdfast::cli
