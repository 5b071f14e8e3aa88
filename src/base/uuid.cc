#include "base/uuid.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "base/random.h"

namespace holdfast::base {

namespace {

// The twelve bits after the version, which their maker may use as it likes: the first says whether it is a keeper's.
constexpr std::uint32_t kKeeper = 0x800;
constexpr std::size_t kKindAt = 15;  // the digit with that bit

std::string uuid_of_kind(std::uint32_t kind) {
  std::array<std::uint32_t, 4> word{};
  for (auto& part : word) part = random_number();
  return fmt::format("{:08x}-{:04x}-8{:03x}-{:04x}-{:04x}{:08x}", word[0], word[1] >> 16, kind | (word[1] & 0x7ff),
                     0x8000 | (word[2] >> 16 & 0x3fff), word[2] & 0xffff, word[3]);
}

}  // namespace

std::string random_uuid() { return uuid_of_kind(0); }
std::string random_keepers_uuid() { return uuid_of_kind(kKeeper); }

bool has_keepers_uuid(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_with_our_uuid(text.substr(i))) return text[i + kKindAt] >= '8';  // and 'a' to 'f' are after the digits
  }
  return false;
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
