// random.h -- random numbers that are not secrets: from the system, or from a simulation that owns them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

namespace holdfast::base {

// From the system each time, never from a seeded sequence: two processes forked from one parent must not share one.
std::uint32_t random_number();

// For std::shuffle and distributions that need many numbers, which need not differ from those of another process. All Dice of a thread
// share one sequence, seeded by the system.
class Dice {
 public:
  using result_type = std::uint32_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() const;
};

// As long as it lives, both kinds of numbers come from `source` in this thread: one seed then decides everything. One at a time.
class OwnRandomNumbers {
 public:
  explicit OwnRandomNumbers(std::function<std::uint32_t()> source);
  ~OwnRandomNumbers();
  OwnRandomNumbers(const OwnRandomNumbers&) = delete;
  OwnRandomNumbers& operator=(const OwnRandomNumbers&) = delete;
};

}  // namespace holdfast::base
