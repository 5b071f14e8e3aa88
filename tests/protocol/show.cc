#include "show.h"

#include <fmt/format.h>

namespace holdfast::testing {
namespace {

std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t sum = 2166136261U;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 16777619U;
  return sum;
}

std::string escaped(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    if (byte >= 0x20 && byte < 0x7f && byte != '\\' && byte != '"') {
      out += byte;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return out;
}

}  // namespace

std::string show(const Text& text) {
  if (!text) return "null";
  if (text->size() <= kShown) return fmt::format("\"{}\"", escaped(*text));
  return fmt::format("\"{}…\"({} bytes, sum {:08x})", escaped(text->substr(0, kShown)), text->size(), checksum(*text));
}

std::string show(const AclEntry& entry) {
  return fmt::format("{}:{}:{}", entry.perms, entry.scheme ? *entry.scheme : "null", show(entry.id));
}

}  // namespace holdfast::testing
