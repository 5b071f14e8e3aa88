#include "cli/run/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace holdfast::cli {
namespace {

std::vector<ProcessInfo> all_processes() {
  std::vector<ProcessInfo> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), &::closedir);
  if (proc == nullptr) return all;
  while (const dirent* entry = ::readdir(proc.get())) {
    char* end = nullptr;
    const long pid = std::strtol(entry->d_name, &end, 10);
    if (pid <= 0 || *end != '\0') continue;
    const auto info = process_info(static_cast<pid_t>(pid));
    if (info.pid != 0) all.push_back(info);
  }
  return all;
}

bool contains(const std::vector<pid_t>& pids, pid_t pid) {
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

}  // namespace

ProcessInfo parse_process_stat(std::string_view stat) {
  // "pid (name) state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime cutime cstime priority nice
  // num_threads itrealvalue starttime ...": the name may have blanks and brackets in it, so the last bracket counts.
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return {};
  ProcessInfo info;
  char state = 0;
  long threads = 0;
  const std::string rest(stat.substr(name_end + 1));
  const int read =
      std::sscanf(rest.c_str(), " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
                  &state, &info.parent, &info.group, &threads, &info.started);
  if (read != 5) return {};
  info.pid = static_cast<pid_t>(std::strtol(std::string(stat.substr(0, 12)).c_str(), nullptr, 10));
  info.stopped = state == 'T';
  // The first thread may be gone while others go on: then it is a zombie with company.
  info.dead = state == 'X' || (state == 'Z' && threads <= 1);
  return info;
}

ProcessInfo process_info(pid_t pid) {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", pid);
  const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::array<char, 1024> text{};
  const ssize_t got = ::read(fd, text.data(), text.size());
  ::close(fd);
  return got <= 0 ? ProcessInfo{} : parse_process_stat({text.data(), static_cast<std::size_t>(got)});
}

std::vector<ProcessInfo> descendants_of(pid_t root, const std::vector<pid_t>& except) {
  auto all = all_processes();
  std::vector<ProcessInfo> below;
  std::vector<pid_t> parents{root};
  // Children of zombies are there for a moment only, and belong to it as well.
  while (!parents.empty()) {
    std::vector<pid_t> found;
    for (const auto& info : all) {
      if (!contains(parents, info.parent) || contains(except, info.pid) || info.pid == root) continue;
      found.push_back(info.pid);
      if (!info.dead) below.push_back(info);
    }
    // What was found is not looked at again, so that a pid that was given twice while we read makes no circle.
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& info) { return contains(found, info.pid); }),
              all.end());
    parents = std::move(found);
  }
  return below;
}

std::vector<pid_t> ancestors_of(pid_t pid) {
  // Deeper than any tree that is one; /proc is no snapshot, so numbers that are given anew could make a circle.
  constexpr std::size_t kDeepest = 1'000;
  std::vector<pid_t> above;
  for (auto parent = process_info(pid).parent; parent > 0 && above.size() < kDeepest;
       parent = process_info(parent).parent) {
    above.push_back(parent);
  }
  return above;
}

std::size_t kill_descendants(pid_t root, const std::vector<pid_t>& except) {
  std::size_t killed = 0;
  for (const auto& info : descendants_of(root, except)) {
    if (::kill(info.pid, SIGKILL) == 0) ++killed;
  }
  return killed;
}

}  // namespace holdfast::cli
