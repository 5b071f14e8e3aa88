#include "cli/view/columns.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"
#include "cli/view/colour.h"

namespace holdfast::cli {
namespace {

struct Block {
  std::uint32_t first;
  std::uint32_t last;
};

// The large blocks only. A rare character that is counted wrongly shifts its row by a column, and nothing worse.
constexpr std::array kWide{Block{0x1100, 0x115f},   Block{0x2e80, 0x303e},   Block{0x3041, 0xa4cf},
                           Block{0xac00, 0xd7a3},   Block{0xf900, 0xfaff},   Block{0xfe30, 0xfe6f},
                           Block{0xff00, 0xff60},   Block{0xffe0, 0xffe6},   Block{0x1f300, 0x1f64f},
                           Block{0x1f680, 0x1f6ff}, Block{0x1f900, 0x1f9ff}, Block{0x20000, 0x3fffd}};
constexpr std::array kNone{Block{0x0300, 0x036f}, Block{0x200b, 0x200f}, Block{0x202a, 0x202e}, Block{0x2060, 0x2069},
                           Block{0x20d0, 0x20ff}, Block{0xfe00, 0xfe0f}, Block{0xfe20, 0xfe2f}};

template <typename Blocks>
bool is_in(const Blocks& blocks, std::uint32_t code) {
  return std::any_of(blocks.begin(), blocks.end(),
                     [code](const Block& block) { return code >= block.first && code <= block.last; });
}

struct Glyph {
  std::size_t bytes;
  std::size_t columns;
};

constexpr char kEscape = '\x1b';

// A colour: ESC [ numbers m.
std::size_t length_of_colour(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const auto end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

Glyph first_glyph(std::string_view text) {
  if (const auto length = length_of_colour(text); length > 0) return {length, 0};
  const auto [code, length] = base::decode_utf8(text);
  if (length == 0) return {1, 1};
  return {length, is_in(kNone, code) ? std::size_t{0} : is_in(kWide, code) ? std::size_t{2} : std::size_t{1}};
}

}  // namespace

std::size_t width_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto glyph = first_glyph(text);
    columns += glyph.columns;
    text.remove_prefix(glyph.bytes);
  }
  return columns;
}

std::string fit(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t bytes = 0;
  std::size_t columns = 0;
  for (;;) {
    const auto glyph = first_glyph(text.substr(bytes));
    if (columns + glyph.columns > width - 1) break;
    columns += glyph.columns;
    bytes += glyph.bytes;
  }
  auto cut = std::string(text.substr(0, bytes)) + "…";
  if (cut.find(kEscape) != std::string::npos) cut += kNoTone;
  return cut;
}

std::string live_row(std::string_view text, std::size_t terminal_width) {
  return std::string(kEraseLiveRow) + fit(text, std::max<std::size_t>(terminal_width, 2) - 1) + "\r";
}

}  // namespace holdfast::cli
