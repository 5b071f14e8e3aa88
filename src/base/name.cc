#include "base/name.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/ticket_spelling.h"

namespace holdfast::base {
namespace {

bool is_allowed_by_zookeeper(std::uint32_t code) {
  return !(code >= 0xd800 && code <= 0xf8ff) && !(code >= 0xfff0 && code <= 0xffff);
}

// ZooKeeper refuses C0 and C1 controls, U+D800-F8FF and U+FFF0-FFFF (PathUtils.validatePath); so do we, before anything is sent.
// Its servers count in UTF-16, so that it refuses what is beyond U+FFFF as well; that is spelled in another way there, and allowed
// here (backend/zookeeper/node_name.h). Malformed UTF-8 is refused too: Java would store another name than the one we asked for.
const char* bad_character(std::string_view text) {
  while (!text.empty()) {
    const auto [code, length] = decode_utf8(text);
    if (length == 0) return "bytes that are not UTF-8";
    if (is_control(code)) return "a control character";
    if (!is_allowed_by_zookeeper(code)) return "a character that ZooKeeper does not allow";
    text.remove_prefix(length);
  }
  return nullptr;
}

}  // namespace

bool may_be_in_name(std::uint32_t code) { return !is_control(code) && is_allowed_by_zookeeper(code); }

tl::expected<std::string, std::string> parse_name(std::string_view name) {
  const auto wrong = [&](std::string_view what) {
    return tl::unexpected(
        fmt::format("\"{}\" is not a name: {}; a name is a path such as orders/123", printable(name), what));
  };
  std::string_view rest = name;
  if (rest.starts_with('/')) rest.remove_prefix(1);
  if (rest.empty()) return wrong("it is empty");
  if (rest.size() > kMaxNameLength) {
    return wrong(fmt::format("it has {} bytes, at most {} are allowed", rest.size(), kMaxNameLength));
  }
  if (rest.ends_with('/')) return wrong("it ends with a slash");
  if (const char* bad = bad_character(rest)) return wrong(fmt::format("it contains {}", bad));

  std::size_t depth = 0;
  for (std::size_t begin = 0; begin <= rest.size();) {
    const std::size_t end = std::min(rest.find('/', begin), rest.size());
    const std::string_view part = rest.substr(begin, end - begin);
    if (part.empty()) return wrong("it has an empty part (//)");
    if (part == "." || part == "..") return wrong(fmt::format("it has the part \"{}\"", part));
    if (spelled_as_ticket(part)) {
      return wrong(
          fmt::format("\"{}\" is spelled as a ticket, which would be taken for one of the lock above it", part));
    }
    if (++depth > kMaxNameDepth) return wrong(fmt::format("it has more than {} parts", kMaxNameDepth));
    begin = end + 1;
  }
  if (rest == "zookeeper" || rest.starts_with("zookeeper/")) return wrong("ZooKeeper keeps /zookeeper for itself");
  return std::string(rest);
}

}  // namespace holdfast::base
