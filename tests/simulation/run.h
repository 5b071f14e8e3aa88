// run.h -- one seed after the other, until the time is over.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "simulation.h"

namespace holdfast::simulation {

struct Total {
  std::uint64_t seeds = 0;
  std::uint64_t lives = 0;  // of clients
  Counts counts{};
  std::uint64_t crashes = 0;
  std::uint64_t events = 0;
  std::uint64_t frames = 0;
  Moment time{0};  // virtual
  std::chrono::nanoseconds took{0};
  std::optional<std::uint64_t> failed{};  // the seed to which there is an objection
  Result failure{};
};

// From `seed` on; until one fails, `seeds` are over, or the time is.
Total run_seeds(std::uint64_t seed, std::uint64_t seeds, std::chrono::nanoseconds time);

// For people: what was done, in a few lines.
std::string summary(const Total& total);
// Of a failure: the objection, and what came before it.
std::string story(const Total& total, std::size_t lines);

// No line of the library's log: faults are what is wanted here.
void be_quiet();

}  // namespace holdfast::simulation
