// text.h -- text from strangers: names, addresses and cards end up in messages, and messages in terminals and logs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::base {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  // in bytes; 0: what stands there is not UTF-8
};

// The code point at the beginning of `text`, which must not be empty.
CodePoint decode_utf8(std::string_view text);

// C0, DEL and C1.
constexpr bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code <= 0x9f); }

// At most `limit` bytes of it, never half a character; controls and what is not UTF-8 as \xNN. "..." if it was cut.
std::string printable(std::string_view text, std::size_t limit = 60);

}  // namespace holdfast::base
