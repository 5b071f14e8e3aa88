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

// What nobody sees, and what makes the text around it look like another one: marks and overrides of the writing direction,
// separators of lines and paragraphs, characters without width. Names may have them, messages show them. Not those two that join or
// part the letters beside them (U+200C, U+200D): Persian, the languages of India and emoji are written with them.
constexpr bool is_hidden(std::uint32_t code) {
  return code == 0xad || code == 0x61c || code == 0x180e || code == 0x200b || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f);
}

// At most `limit` bytes of it, never half a character; controls, what is hidden and what is not UTF-8 as \xNN. "..." if it was cut.
// What is printable stays as it is.
std::string printable(std::string_view text, std::size_t limit = 60);

}  // namespace holdfast::base
