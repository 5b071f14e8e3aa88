#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::base {

CodePoint decode_utf8(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  // 0xc0 and 0xc1 could only begin what has a shorter form, 0xf5 and above what is past the last code point.
  const std::size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length == 0 || length > text.size()) return {};
  std::uint32_t code = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3f);
  }
  const bool has_shorter_form = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  return has_shorter_form || code > 0x10ffff ? CodePoint{} : CodePoint{code, length};
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string shown;
  std::uint32_t before = 0;
  while (!text.empty()) {
    const auto [code, length] = decode_utf8(text);
    const bool plain = length != 0 && !is_control(code) && !is_hidden(code, before);
    const auto taken = text.substr(0, std::max<std::size_t>(length, 1));
    if (shown.size() + taken.size() > limit) return shown + "...";
    if (plain) {
      shown += taken;
    } else {
      for (const unsigned char byte : taken) shown += fmt::format("\\x{:02x}", byte);
    }
    before = code;
    text.remove_prefix(taken.size());
  }
  return shown;
}

}  // namespace holdfast::base
