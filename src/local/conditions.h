// conditions.h -- what a process works under that the processes it starts inherit: resource limits and priority.
//
// The engine serves everything that its user runs, and is started by whatever comes first: a job of cron with niceness 19, a service with
// twenty descriptors. It throws off what it is allowed to. What is left without privilege (hard limits, niceness) it announces, and the
// first client that could start one under better conditions has it end and starts that: nodes and sessions are in files, so holders go on at
// the next one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::local {

class Conditions {
 public:
  // Nothing to complain of.
  Conditions();
  // Of this process, and at least what an engine started by it would have.
  static Conditions of_this_process();
  // What text() was; the best ones if it is anything else.
  static Conditions parse(std::string_view text);
  std::string text() const;

  // In nothing worse and in something better: replacing engines by this rule comes to an end.
  bool better_than(const Conditions& other) const;

  // "20 open files at most, niceness 19"; empty if there is nothing.
  std::string complaint() const;

 private:
  static constexpr std::size_t kCount = 6;
  std::array<std::uint64_t, kCount> values_{};  // the more the better, up to what is enough
};

// Everything of the process that started us: limits, niceness, policy and affinity of the scheduler, priority of the disk, its place in the queue
// of the out-of-memory killer, umask. As far as that is allowed. To be called before there is another thread.
void throw_off_conditions();

}  // namespace holdfast::local
