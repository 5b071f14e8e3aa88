#include "measure/proc.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace holdfast::bench {
namespace {

constexpr double kMicroseconds = 1e6;  // in a second
constexpr double kNanoseconds = 1e3;   // in a microsecond

std::string slurp(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) throw std::runtime_error("cannot read " + path);
  return text.str();
}

// The rest of the line that begins with `key`.
std::string value_of(const std::string& text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string::npos) return "unknown";
  const auto from = text.find_first_not_of(" \t:", at + key.size());
  return text.substr(from, text.find('\n', from) - from);
}

}  // namespace

double cpu_time_of(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    throw std::runtime_error(fmt::format("process {} has no CPU clock", process));
  }
  return static_cast<double>(time.tv_sec) * kMicroseconds + static_cast<double>(time.tv_nsec) / kNanoseconds;
}

double resident_of(pid_t process) {
  return std::stod(value_of(slurp(fmt::format("/proc/{}/status", process)), "VmRSS"));
}

void print_machine() {
  utsname system{};
  ::uname(&system);
  struct statfs disk {};
  const auto directory = std::filesystem::temp_directory_path();
  ::statfs(directory.c_str(), &disk);
  fmt::print("date: {:%F %H:%M} UTC\n", fmt::gmtime(std::time(nullptr)));
  fmt::print("processor: {}, {} cores; {} of memory\n", value_of(slurp("/proc/cpuinfo"), "model name"),
             ::sysconf(_SC_NPROCESSORS_ONLN), value_of(slurp("/proc/meminfo"), "MemTotal"));
  fmt::print("kernel: {} {}; file system {:#x} under {}\n", system.sysname, system.release, disk.f_type,
             directory.string());
  fmt::print("load: {}\n", value_of(slurp("/proc/loadavg"), ""));
  std::fflush(stdout);
}

}  // namespace holdfast::bench
