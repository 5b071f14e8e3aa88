#include "engine/path.h"

#include <algorithm>
#include <cstdint>

namespace holdfast::engine {
namespace {

constexpr std::uint32_t kNotUtf8 = 0xffff;

// Takes the first character off `text`. ZooKeeper reads bytes that are not UTF-8 as U+FFFD, which is not allowed, and characters
// beyond the basic plane as surrogates, which are not allowed either.
std::uint32_t next_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continued = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const auto first = byte(0);
  std::size_t length = 1;
  std::uint32_t character = kNotUtf8;
  if (first < 0x80) {
    character = first;
  } else if (first >= 0xc2 && first < 0xe0 && continued(1)) {
    length = 2;
    character = (first & 0x1f) << 6 | (byte(1) & 0x3f);
  } else if (first >= 0xe0 && first < 0xf0 && continued(1) && continued(2)) {
    length = 3;
    character = (first & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    if (character < 0x800) character = kNotUtf8;
  }
  text.remove_prefix(std::min(length, text.size()));
  return character;
}

bool is_allowed(std::uint32_t c) {
  return !(c <= 0x1f || (c >= 0x7f && c <= 0x9f) || (c >= 0xd800 && c <= 0xf8ff) || c >= 0xfff0);
}

}  // namespace

bool is_valid_path(std::string_view path) {
  if (path == "/") return true;
  if (path.empty() || path.front() != '/' || path.back() == '/') return false;
  for (std::string_view rest = path; !rest.empty();) {
    rest.remove_prefix(1);
    const auto part = rest.substr(0, rest.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    rest.remove_prefix(part.size());
  }
  for (std::string_view rest = path; !rest.empty();) {
    if (!is_allowed(next_character(rest))) return false;
  }
  return true;
}

std::size_t depth(std::string_view path) {
  return path == "/" ? 0 : static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

std::string_view parent_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::string_view parent_or_root(std::string_view path) {
  const auto parent = parent_of(path);
  return parent.empty() ? std::string_view("/") : parent;
}

std::string_view name_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_special(std::string_view path) {
  return path == "/" || path == "/zookeeper" || path == "/zookeeper/quota" || path == "/zookeeper/config";
}

}  // namespace holdfast::engine
