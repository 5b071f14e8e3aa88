#include "backend/zookeeper/node_name.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "base/text.h"

namespace holdfast::zookeeper {
namespace {

constexpr std::uint32_t kFirstEscaped = 0x10000;
constexpr std::uint32_t kLastEscaped = 0x10ffff;
constexpr std::string_view kBackslash = "u{5c}";

struct Escaped {
  std::uint32_t code = 0;
  std::size_t length = 0;  // 0: it is not one
};

// The "u{1f512}" at the beginning of `text`, spelled the one way that we spell it.
Escaped escaped_character(std::string_view text) {
  if (!text.starts_with("u{")) return {};
  const auto end = text.find('}');
  if (end == std::string_view::npos) return {};
  const auto digits = text.substr(2, end - 2);
  Escaped found{.length = end + 1};
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), found.code, 16);
  if (parsed.ec != std::errc() || found.code < kFirstEscaped || found.code > kLastEscaped) return {};
  return fmt::format("{:x}", found.code) == digits ? found : Escaped{};
}

// Whether a backslash in front of this would be taken for the beginning of an escape.
bool looks_escaped(std::string_view text) {
  while (text.starts_with(kBackslash)) text.remove_prefix(kBackslash.size());
  return escaped_character(text).length > 0;
}

void append_utf8(std::string& text, std::uint32_t code) {
  text += static_cast<char>(0xf0 | code >> 18);
  for (const int shift : {12, 6, 0}) text += static_cast<char>(0x80 | (code >> shift & 0x3f));
}

}  // namespace

std::string node_of_name(std::string_view name) {
  std::string node;
  node.reserve(name.size());
  while (!name.empty()) {
    if (name.front() == '\\' && looks_escaped(name.substr(1))) {
      node += '\\';
      node += kBackslash;
      name.remove_prefix(1);
      continue;
    }
    const auto [code, length] = base::decode_utf8(name);
    if (length > 0 && code >= kFirstEscaped) {
      node += fmt::format("\\u{{{:x}}}", code);
      name.remove_prefix(length);
      continue;
    }
    node += name.front();
    name.remove_prefix(1);
  }
  return node;
}

std::string name_of_node(std::string_view node) {
  std::string name;
  name.reserve(node.size());
  while (!node.empty()) {
    if (node.front() == '\\') {
      const auto rest = node.substr(1);
      if (const auto [code, length] = escaped_character(rest); length > 0) {
        append_utf8(name, code);
        node.remove_prefix(1 + length);
        continue;
      }
      if (rest.starts_with(kBackslash) && looks_escaped(rest.substr(kBackslash.size()))) {
        name += '\\';
        node.remove_prefix(1 + kBackslash.size());
        continue;
      }
    }
    name += node.front();
    node.remove_prefix(1);
  }
  return name;
}

}  // namespace holdfast::zookeeper
