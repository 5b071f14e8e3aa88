#include "local/conditions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/descriptor.h"

namespace holdfast::local {
namespace {

struct Limit {
  __rlimit_resource_t resource;
  rlim_t enough;
  const char* text;  // of what there is little
};

// `enough` is more than an engine of one user needs: a higher limit does not make it better.
constexpr std::array kLimits{
    Limit{RLIMIT_NOFILE, 4'096, "{} open files at most"},  // every client is one
    Limit{RLIMIT_AS, rlim_t{64} << 30, "{} bytes of address space at most"},
    Limit{RLIMIT_DATA, rlim_t{64} << 30, "{} bytes of memory at most"},
    Limit{RLIMIT_FSIZE, rlim_t{64} << 30, "{} bytes in a file at most"},
    Limit{RLIMIT_CPU, RLIM_INFINITY, "{} seconds of processor time at most"},
};
constexpr std::size_t kPriority = kLimits.size();
// The worst niceness. The scheduling policy for idle times is worse than all of it.
constexpr int kMostNice = 20;
constexpr int kIdle = kMostNice;

int niceness() {
  if ((::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_IDLE) return kIdle;
  return std::max(::getpriority(PRIO_PROCESS, 0), 0);
}

void raise_limit(const Limit& each) {
  rlimit limit{};
  if (::getrlimit(each.resource, &limit) != 0) return;
  const rlimit enough{std::max(limit.rlim_max, each.enough), std::max(limit.rlim_max, each.enough)};
  if (::setrlimit(each.resource, &enough) == 0) return;  // root can
  limit.rlim_cur = limit.rlim_max;
  [[maybe_unused]] const int raised = ::setrlimit(each.resource, &limit);
}

void write_zero(const char* file) {
  const base::Descriptor opened(::open(file, O_WRONLY | O_CLOEXEC));
  [[maybe_unused]] const auto written = ::write(opened.get(), "0", 1);
}

}  // namespace

Conditions::Conditions() {
  static_assert(kCount == kLimits.size() + 1);
  std::transform(kLimits.begin(), kLimits.end(), values_.begin(), [](const Limit& each) { return each.enough; });
  values_[kPriority] = kMostNice;
}

Conditions Conditions::of_this_process() {
  Conditions made;
  for (std::size_t i = 0; i < kLimits.size(); ++i) {
    rlimit limit{};
    if (::getrlimit(kLimits[i].resource, &limit) == 0) made.values_[i] = std::min(limit.rlim_max, kLimits[i].enough);
  }
  made.values_[kPriority] = static_cast<std::uint64_t>(kMostNice - niceness());
  return made;
}

std::string Conditions::text() const { return fmt::format("{}", fmt::join(values_, " ")); }

Conditions Conditions::parse(std::string_view text) {
  Conditions made;
  for (auto& value : made.values_) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty()) text.remove_prefix(1);
  }
  return made;
}

bool Conditions::better_than(const Conditions& other) const {
  const auto at_least = [](std::uint64_t ours, std::uint64_t theirs) { return ours >= theirs; };
  return values_ != other.values_ &&
         std::equal(values_.begin(), values_.end(), other.values_.begin(), other.values_.end(), at_least);
}

std::string Conditions::complaint() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kLimits.size(); ++i) {
    if (values_[i] < kLimits[i].enough) all.push_back(fmt::format(fmt::runtime(kLimits[i].text), values_[i]));
  }
  const auto nice = kMostNice - static_cast<int>(values_[kPriority]);
  if (nice == kIdle) {
    all.emplace_back("idle priority");
  } else if (nice > 0) {
    all.push_back(fmt::format("niceness {}", nice));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

void throw_off_conditions() {
  ::umask(S_IRWXG | S_IRWXO);
  for (const auto& each : kLimits) raise_limit(each);
  ::signal(SIGXFSZ, SIG_IGN);  // then a write fails instead, which can be handled
  const sched_param none{};
  ::sched_setscheduler(0, SCHED_OTHER, &none);
  ::setpriority(PRIO_PROCESS, 0, 0);
  cpu_set_t all;
  std::fill_n(reinterpret_cast<unsigned char*>(&all), sizeof all, static_cast<unsigned char>(0xff));
  ::sched_setaffinity(0, sizeof all, &all);  // as far as there are such processors
  constexpr int kThisProcess = 1;
  ::syscall(SYS_ioprio_set, kThisProcess, 0, 0);
  write_zero("/proc/self/oom_score_adj");
}

}  // namespace holdfast::local
