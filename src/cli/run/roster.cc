#include "cli/run/roster.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "cli/run/process_tree.h"
#include "cli/run/shared_engine.h"

namespace holdfast::cli {
namespace {

// Of the descriptors that we may have, which are usually 1024: finding the others takes some, too.
constexpr std::size_t kMostDescriptors = 256;
constexpr std::size_t kShare = 4;

std::size_t most_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMostDescriptors;
  return std::min<std::size_t>(limit.rlim_cur / kShare, kMostDescriptors);
}

}  // namespace

Roster::~Roster() { clear(); }

void Roster::clear() {
  for (const auto& entry : entries_) {
    if (entry.process >= 0) ::close(entry.process);
  }
  entries_.clear();
}

void Roster::look(pid_t root, Clock::time_point deadline) {
  clear();
  const auto most = most_descriptors();
  for (const auto& process : descendants_of(root, {}, deadline)) {
    if (may_be_shared_engine(process)) continue;
    const bool full = entries_.size() >= most;
    const auto opened = full ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0U));
    entries_.push_back({opened, process.pid, process.stopped});
  }
}

void Roster::kill() const {
  for (const auto& entry : entries_) {
    if (entry.process >= 0) send(entry, SIGKILL);
  }
}

void Roster::ask_to_end() const {
  for (const auto& entry : entries_) {
    send(entry, SIGTERM);
    if (entry.stopped) send(entry, SIGCONT);
  }
}

void Roster::send(const Entry& entry, int number) {
  if (entry.process >= 0) {
    ::syscall(SYS_pidfd_send_signal, entry.process, number, nullptr, 0U);
  } else {
    ::kill(entry.pid, number);
  }
}

}  // namespace holdfast::cli
