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
#include <fstream>
#include <memory>
#include <string>

namespace holdfast::cli {
namespace {

using Path = std::array<char, 64>;

// The numbers that the names in a directory of /proc are.
std::vector<pid_t> numbers_in(const char* directory) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(directory), &::closedir);
  if (opened == nullptr) return numbers;
  while (const dirent* entry = ::readdir(opened.get())) {
    char* end = nullptr;
    const long number = std::strtol(entry->d_name, &end, 10);
    if (number > 0 && *end == '\0') numbers.push_back(static_cast<pid_t>(number));
  }
  return numbers;
}

bool contains(const std::vector<pid_t>& pids, pid_t pid) {
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

// False if the kernel does not say.
bool add_children_of(pid_t pid, pid_t thread, std::vector<pid_t>& children) {
  Path path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/task/%d/children", pid, thread);
  const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 4096> text{};
  long number = 0;
  for (ssize_t got = 0; (got = ::read(fd, text.data(), text.size())) > 0;) {
    for (const char c : std::string_view(text.data(), static_cast<std::size_t>(got))) {
      if (c != ' ') {
        number = number * 10 + (c - '0');
      } else if (number > 0) {
        children.push_back(static_cast<pid_t>(number));
        number = 0;
      }
    }
  }
  ::close(fd);
  return true;
}

std::vector<pid_t> children_of(const ProcessInfo& process) {
  std::vector<pid_t> children;
  if (process.threads <= 1) {
    add_children_of(process.pid, process.pid, children);
  } else {
    for (const auto thread : threads_of(process.pid)) add_children_of(process.pid, thread, children);
  }
  return children;
}

bool kernel_lists_children() {
  std::vector<pid_t> ignored;
  static const bool lists = add_children_of(::getpid(), ::getpid(), ignored);
  return lists;
}

// `visit` is given those alive as they are found, and says whether to go on.
template <typename Visit>
void walk_down(pid_t root, const std::vector<pid_t>& except, Visit visit) {
  std::vector<pid_t> seen = except;
  seen.push_back(root);
  std::vector<ProcessInfo> parents{process_info(root)};
  while (!parents.empty()) {
    std::vector<ProcessInfo> found;
    for (const auto& parent : parents) {
      for (const auto child : children_of(parent)) {
        if (contains(seen, child)) continue;
        seen.push_back(child);
        const auto info = process_info(child);
        if (info.pid == 0) continue;
        found.push_back(info);
        if (!info.dead && !visit(info)) return;
      }
    }
    // Once more at the root when all is seen: orphans come to it while we look elsewhere.
    if (found.empty() && parents.front().pid != root) found.push_back(process_info(root));
    parents = std::move(found);
  }
}

template <typename Visit>
void search_all(pid_t root, const std::vector<pid_t>& except, Visit visit) {
  std::vector<ProcessInfo> all;
  for (const auto pid : numbers_in("/proc")) {
    const auto info = process_info(pid);
    if (info.pid != 0) all.push_back(info);
  }
  std::vector<pid_t> parents{root};
  // Children of zombies are there for a moment only, and belong to it as well.
  while (!parents.empty()) {
    std::vector<pid_t> found;
    for (const auto& info : all) {
      if (!contains(parents, info.parent) || contains(except, info.pid) || info.pid == root) continue;
      found.push_back(info.pid);
      if (!info.dead && !visit(info)) return;
    }
    // What was found is not looked at again, so that a pid that was given twice while we read makes no circle.
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& info) { return contains(found, info.pid); }),
              all.end());
    parents = std::move(found);
  }
}

template <typename Visit>
void visit_descendants(pid_t root, const std::vector<pid_t>& except, Visit visit) {
  if (kernel_lists_children()) {
    walk_down(root, except, visit);
  } else {
    search_all(root, except, visit);
  }
}

// Whether a signal is in one of these sets of /proc/PID/status.
bool is_in_signal_sets(pid_t pid, int signal, std::string_view one, std::string_view other) {
  Path path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/status", pid);
  std::ifstream status(path.data());
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(one) && !line.starts_with(other)) continue;
    const auto set = std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 16);
    if ((set >> (signal - 1) & 1) != 0) return true;
  }
  return false;
}

}  // namespace

ProcessInfo parse_process_stat(std::string_view stat) {
  // "pid (name) state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime cutime cstime priority nice
  // num_threads itrealvalue starttime ...": the name may have blanks and brackets in it, so the last bracket counts.
  const auto name_begin = stat.find('(');
  const auto name_end = stat.rfind(')');
  if (name_begin == std::string_view::npos || name_end == std::string_view::npos) return {};
  ProcessInfo info{.name = std::string(stat.substr(name_begin + 1, name_end - name_begin - 1))};
  char state = 0;
  const std::string rest(stat.substr(name_end + 1));
  const int read =
      std::sscanf(rest.c_str(), " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
                  &state, &info.parent, &info.group, &info.threads, &info.started);
  if (read != 5) return {};
  info.pid = static_cast<pid_t>(std::strtol(std::string(stat.substr(0, 12)).c_str(), nullptr, 10));
  info.stopped = state == 'T';
  // The first thread may be gone while others go on: then it is a zombie with company.
  info.dead = state == 'X' || (state == 'Z' && info.threads <= 1);
  return info;
}

ProcessInfo process_info(pid_t pid) {
  Path path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", pid);
  const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::array<char, 1024> text{};
  const ssize_t got = ::read(fd, text.data(), text.size());
  ::close(fd);
  return got <= 0 ? ProcessInfo{} : parse_process_stat({text.data(), static_cast<std::size_t>(got)});
}

std::vector<ProcessInfo> descendants_of(pid_t root, const std::vector<pid_t>& except, Clock::time_point deadline) {
  std::vector<ProcessInfo> below;
  visit_descendants(root, except, [&](const ProcessInfo& info) {
    below.push_back(info);
    return Clock::now() < deadline;
  });
  return below;
}

bool leaves_to_kernel(pid_t pid, int signal) { return !is_in_signal_sets(pid, signal, "SigIgn:", "SigCgt:"); }

bool can_be_killed(pid_t pid) { return ::kill(pid, 0) == 0 && !is_in_signal_sets(pid, SIGKILL, "SigPnd:", "ShdPnd:"); }

std::vector<pid_t> threads_of(pid_t pid) {
  Path path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/task", pid);
  return numbers_in(path.data());
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

std::optional<std::vector<pid_t>> own_children() {
  std::vector<pid_t> children;
  if (!add_children_of(::getpid(), ::getpid(), children)) return std::nullopt;
  return children;
}

std::string environment_of(pid_t pid) {
  std::string environment;
  Path path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/environ", pid);
  const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return environment;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::read(fd, part.data(), part.size())) > 0;) {
    environment.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  return environment;
}

std::vector<pid_t> processes_with_environment(std::string_view text) {
  std::vector<pid_t> found;
  for (const auto pid : numbers_in("/proc")) {
    if (environment_of(pid).find(text) != std::string::npos && !process_info(pid).dead) found.push_back(pid);
  }
  return found;
}

std::size_t kill_descendants(pid_t root, const std::vector<pid_t>& except, std::string_view except_name) {
  std::size_t found = 0;
  visit_descendants(root, except, [&](const ProcessInfo& info) {
    if (!except_name.empty() && info.name == except_name) return true;
    ++found;
    ::kill(info.pid, SIGKILL);
    return true;
  });
  return found;
}

}  // namespace holdfast::cli
