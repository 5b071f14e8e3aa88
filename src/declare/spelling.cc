#include "declare/spelling.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>

#include "base/name.h"
#include "base/text.h"

namespace holdfast::declare {
namespace {

constexpr std::string_view kNothing = "%";
// A hexadecimal digit follows % elsewhere.
constexpr std::string_view kDigest = "%-";
// Of a long argument: enough to recognise it.
constexpr std::size_t kBeginning = 60;

bool is_plain(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '@';
}

std::string hexadecimal(std::string_view bytes, std::string_view before_each) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{}{:02x}", before_each, byte);
  return text;
}

std::string digest(std::string_view argument) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> sum{};
  SHA256(reinterpret_cast<const unsigned char*>(argument.data()), argument.size(), sum.data());
  return hexadecimal({reinterpret_cast<const char*>(sum.data()), sum.size()}, "");
}

// Calls `spell_one(character, is_plain)` for every character, until that has spelled enough.
template <class SpellOne>
std::string spell_each(std::string_view argument, SpellOne spell_one) {
  if (argument.empty()) return std::string(kNothing);
  std::string spelled;
  std::size_t beginning = 0;  // how much of it is kept if it gets too long
  for (auto rest = argument; !rest.empty();) {
    const auto [code, length] = base::decode_utf8(rest);
    const auto character = rest.substr(0, length == 0 ? 1 : length);
    const bool plain =
        length == 1 ? is_plain(character[0]) : length > 1 && base::may_be_in_name(code) && !base::is_hidden(code);
    spelled += spell_one(character, plain);
    if (spelled.size() <= kBeginning) beginning = spelled.size();
    if (spelled.size() > kLongestSpelling)
      return spelled.substr(0, beginning) + std::string(kDigest) + digest(argument);
    rest.remove_prefix(character.size());
  }
  return spelled;
}

}  // namespace

std::string spell(std::string_view argument) {
  return spell_each(argument, [](std::string_view character, bool plain) {
    return plain ? std::string(character) : hexadecimal(character, "%");
  });
}

std::string spell_every_byte(std::string_view argument) {
  return spell_each(argument, [](std::string_view character, bool) { return hexadecimal(character, "%"); });
}

bool is_in_spellings(char c) noexcept { return is_plain(c) || c == '%'; }

}  // namespace holdfast::declare
