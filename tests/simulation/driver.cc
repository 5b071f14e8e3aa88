// By hand: holdfast_simulation [--minutes N] [--seeds N] [--seed S] [--trace]
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "run.h"

int main(int argc, char** argv) {
  using namespace holdfast::simulation;
  std::uint64_t seed = std::random_device{}();
  std::uint64_t seeds = std::numeric_limits<std::uint64_t>::max();
  std::chrono::nanoseconds time = std::chrono::minutes(1);
  bool trace = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const bool has_value = i + 1 < argc;
    if (option == "--trace") {
      trace = true;
    } else if (option == "--seed" && has_value) {
      seed = std::strtoull(argv[++i], nullptr, 10);
      if (seeds == std::numeric_limits<std::uint64_t>::max()) seeds = 1;
    } else if (option == "--seeds" && has_value) {
      seeds = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--minutes" && has_value) {
      time = std::chrono::minutes(std::strtol(argv[++i], nullptr, 10));
      seeds = std::numeric_limits<std::uint64_t>::max();
    } else {
      fmt::print(stderr, "usage: holdfast_simulation [--seed S] [--minutes N | --seeds N] [--trace]\n");
      return 2;
    }
  }
  be_quiet();
  if (trace) {
    for (const auto& line : simulate({.seed = seed}).trace) fmt::print("{}\n", line);
    return 0;
  }
  fmt::print("from seed {} on\n", seed);
  const auto total = run_seeds(seed, seeds, time);
  fmt::print("{}{}", summary(total), story(total, 60));
  return total.failed ? 1 : 0;
}
