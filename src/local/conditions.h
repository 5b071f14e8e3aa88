// conditions.h -- what a process inherits from the process that started it: resource limits and priority.
//
// The engine serves every process of its user, and any of them may start it: a job of cron with niceness 19, a service with twenty
// descriptors. It resets what it may. What it cannot reset without privilege (hard limits, niceness) it announces, and the first client
// that could start an engine under better conditions ends it and starts one: nodes and sessions are in files, so holders go on with the
// next engine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::local {

class Conditions {
 public:
  // The best conditions.
  Conditions();
  // Those of this process: an engine that it starts would have at least these.
  static Conditions of_this_process();
  // Reads what text() returned; the best conditions if it is anything else.
  static Conditions parse(std::string_view text);
  std::string text() const;

  // Worse in nothing and better in something, so that replacing engines comes to an end.
  bool better_than(const Conditions& other) const;

  // "20 open files at most, niceness 19"; empty if they are the best.
  std::string complaint() const;

 private:
  static constexpr std::size_t kCount = 6;
  std::array<std::uint64_t, kCount> values_{};  // higher is better, up to what is enough
};

// Resets, as far as it may, what this process has inherited: limits, niceness, policy and affinity of the scheduler, priority of the disk, score
// of the out-of-memory killer, umask. Call it before there is another thread.
void throw_off_conditions();

}  // namespace holdfast::local
