// text.h -- text from outside, made safe to show: names, addresses and cards end up in messages, and messages in terminals and logs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::base {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  // in bytes; 0: not UTF-8
};

// The code point at the beginning of `text`, which must not be empty.
CodePoint decode_utf8(std::string_view text);

// C0, DEL and C1.
constexpr bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code <= 0x9f); }

// Whether a character is invisible, or makes the text around it look like another text: Unicode's Default_Ignorable_Code_Point (marks and
// overrides of the writing direction, fillers, tags, characters without width), separators of lines and paragraphs, annotations, and
// characters drawn as an empty cell. Names may have them; messages show their codes. Exceptions: U+200C and U+200D, which join or part
// letters in Persian, the languages of India and emoji; and U+FE0E and U+FE0F, which choose how a picture is drawn, right after a picture:
// after a letter they are invisible. `before` is the code point before it.
constexpr bool is_hidden(std::uint32_t code, std::uint32_t before = 0) {
  const auto within = [](std::uint32_t value, std::uint32_t first, std::uint32_t last) {
    return value >= first && value <= last;
  };
  if (within(code, 0xfe0e, 0xfe0f) && (within(before, 0x203c, 0x2bff) || within(before, 0x1f000, 0x1faff)))
    return false;
  return code == 0xad || code == 0x34f || code == 0x61c || within(code, 0x115f, 0x1160) ||
         within(code, 0x17b4, 0x17b5) || within(code, 0x180b, 0x180f) || code == 0x200b ||
         within(code, 0x200e, 0x200f) || within(code, 0x2028, 0x202e) || within(code, 0x2060, 0x206f) ||
         code == 0x2800 || code == 0x3164 || within(code, 0xfe00, 0xfe0f) || code == 0xfeff || code == 0xffa0 ||
         within(code, 0xfff0, 0xfffb) || within(code, 0x1bca0, 0x1bca3) || code == 0x1d159 ||
         within(code, 0x1d173, 0x1d17a) || within(code, 0xe0000, 0xe0fff);
}

// At most `limit` bytes of the text, never half a character. Controls, hidden characters and bytes that are not UTF-8 become \xNN. "..."
// follows if it was cut. Printable text stays as it is.
std::string printable(std::string_view text, std::size_t limit = 60);

}  // namespace holdfast::base
