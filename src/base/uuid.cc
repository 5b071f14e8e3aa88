#include "base/uuid.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <random>

namespace holdfast::base {

std::string random_uuid() {
  // The system's source, not a seeded engine: two processes forked from one parent must not share a sequence.
  std::random_device random;
  std::array<std::uint32_t, 4> word{};
  for (auto& part : word) part = random();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", word[0], word[1] >> 16, word[1] & 0xfff,
                     0x8000 | (word[2] >> 16 & 0x3fff), word[2] & 0xffff, word[3]);
}

}  // namespace holdfast::base
