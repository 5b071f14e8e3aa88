#include "base/uuid.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "base/random.h"

namespace holdfast::base {

std::string random_uuid() {
  std::array<std::uint32_t, 4> word{};
  for (auto& part : word) part = random_number();
  return fmt::format("{:08x}-{:04x}-8{:03x}-{:04x}-{:04x}{:08x}", word[0], word[1] >> 16, word[1] & 0xfff,
                     0x8000 | (word[2] >> 16 & 0x3fff), word[2] & 0xffff, word[3]);
}

bool begins_with_our_uuid(std::string_view text) {
  constexpr std::string_view kPattern = "hhhhhhhh-hhhh-8hhh-hhhh-hhhhhhhhhhhh";
  if (text.size() < kPattern.size()) return false;
  for (std::size_t i = 0; i < kPattern.size(); ++i) {
    const bool hex = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
    if (kPattern[i] == 'h' ? !hex : text[i] != kPattern[i]) return false;
  }
  return true;
}

}  // namespace holdfast::base
