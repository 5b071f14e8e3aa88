// dice.h -- chance out of a seed, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace holdfast::testing {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  // 0 … sides - 1. The standard's distributions may differ from library to library.
  std::size_t roll(std::size_t sides) { return static_cast<std::size_t>(engine_() % sides); }
  bool one_in(std::size_t times) { return roll(times) == 0; }
  bool percent(std::size_t chance) { return roll(100) < chance; }
  template <typename T>
  const T& of(const std::vector<T>& choices) {
    return choices[roll(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace holdfast::testing
