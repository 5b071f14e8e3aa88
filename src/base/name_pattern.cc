#include "base/name_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/name.h"
#include "base/text.h"

namespace holdfast::base {
namespace {

constexpr std::string_view kAnyParts = "**";
// Ranks of parts: ** is the least, where a pattern has ended already comes next, then wildcards by their other characters, then plain texts.
constexpr std::size_t kAnyPartsRank = 0;
constexpr std::size_t kEndRank = 1;
constexpr std::size_t kWildcardRank = 2;
constexpr std::size_t kPlainRank = std::numeric_limits<std::size_t>::max();

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('/', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// `any(i)` says whether pattern element i stands for any sequence, `eat(i, at)` how many of the subject's elements another one takes at a
// place, 0 if it does not fit there; `step(at)` how far the next place is. Looks back only to the last sequence: that is enough, as an
// earlier one could take nothing that this one cannot.
template <typename Any, typename Eat, typename Step>
bool glob(std::size_t elements, std::size_t length, Any any, Eat eat, Step step) {
  constexpr auto kNone = std::numeric_limits<std::size_t>::max();
  std::size_t element = 0;
  std::size_t at = 0;
  std::size_t last_any = kNone;
  std::size_t taken_to = 0;
  while (true) {
    if (element < elements && any(element)) {
      last_any = element++;
      taken_to = at;
      continue;
    }
    if (element == elements && at == length) return true;
    if (element < elements) {
      if (const auto eaten = at < length ? eat(element, at) : 0; eaten > 0) {
        at += eaten;
        ++element;
        continue;
      }
    }
    if (last_any == kNone || taken_to == length) return false;
    taken_to += step(taken_to);
    element = last_any + 1;
    at = taken_to;
  }
}

}  // namespace

tl::expected<NamePattern::Part, std::string> NamePattern::parse_part(std::string_view text) {
  if (text == kAnyParts) return Part{.pieces = {}, .rank = kAnyPartsRank};
  Part part;
  std::string plain;
  std::size_t characters = 0;
  const auto flush = [&] {
    if (!plain.empty()) part.pieces.push_back({Piece::Kind::text, std::exchange(plain, {})});
  };
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '\\') {
      if (text.empty() || std::string_view("*?\\").find(text.front()) == std::string_view::npos) {
        return tl::unexpected(std::string("a backslash stands before *, ? or another backslash"));
      }
      plain += text.front();
      ++characters;
      text.remove_prefix(1);
    } else if (c == '*' && text.starts_with('*')) {
      return tl::unexpected(std::string("** is a part of its own, between slashes"));
    } else if (c == '*' || c == '?') {
      flush();
      part.pieces.push_back({c == '*' ? Piece::Kind::any : Piece::Kind::one});
    } else {
      plain += c;
      if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80) ++characters;  // not in the middle of one
    }
  }
  flush();
  const bool is_plain = part.pieces.size() == 1 && part.pieces.front().kind == Piece::Kind::text;
  part.rank = is_plain ? kPlainRank : kWildcardRank + characters;
  return part;
}

tl::expected<NamePattern, std::string> NamePattern::parse(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return tl::unexpected(fmt::format(
        "\"{}\" is not a pattern of names: {}; a pattern is a name such as orders/123, orders/* or orders/**",
        printable(text), what));
  };
  auto rest = text;
  if (rest.starts_with('/')) rest.remove_prefix(1);
  if (rest.empty()) return wrong("it is empty");
  if (rest.size() > kMaxNameLength) {
    return wrong(fmt::format("it has {} bytes, at most {} are allowed", rest.size(), kMaxNameLength));
  }
  if (rest.ends_with('/')) return wrong("it ends with a slash");
  // What no name has, a name with wildcards does not have either: they stand for characters that every name may have.
  std::string as_name;
  NamePattern pattern;
  for (const auto part : split(rest)) {
    if (part.empty()) return wrong("it has an empty part (//)");
    if (part == "." || part == "..") return wrong(fmt::format("it has the part \"{}\", which no name has", part));
    auto parsed = parse_part(part);
    if (!parsed) return wrong(parsed.error());
    for (const auto& piece : parsed->pieces) {
      as_name += piece.kind == Piece::Kind::text ? piece.text : "x";
    }
    as_name += parsed->pieces.empty() ? "x/" : "/";
    pattern.parts_.push_back(*std::move(parsed));
  }
  as_name.pop_back();
  if (!parse_name(as_name)) return wrong("no name looks like that");
  return pattern;
}

bool NamePattern::fits(const Part& part, std::string_view text) {
  const auto& pieces = part.pieces;
  return glob(
      pieces.size(), text.size(), [&](std::size_t i) { return pieces[i].kind == Piece::Kind::any; },
      [&](std::size_t i, std::size_t at) -> std::size_t {
        if (pieces[i].kind == Piece::Kind::one) return decode_utf8(text.substr(at)).length;
        return text.substr(at).starts_with(pieces[i].text) ? pieces[i].text.size() : 0;
      },
      [&](std::size_t at) { return std::max<std::size_t>(decode_utf8(text.substr(at)).length, 1); });
}

bool NamePattern::matches(std::string_view name) const {
  const auto names = split(name);
  return glob(
      parts_.size(), names.size(), [&](std::size_t i) { return parts_[i].pieces.empty(); },
      [&](std::size_t i, std::size_t at) -> std::size_t { return fits(parts_[i], names[at]) ? 1 : 0; },
      [](std::size_t) -> std::size_t { return 1; });
}

std::weak_ordering NamePattern::compare(const NamePattern& other) const {
  const auto rank = [](const std::vector<Part>& parts, std::size_t i) {
    return i < parts.size() ? parts[i].rank : kEndRank;
  };
  for (std::size_t i = 0; i < std::max(parts_.size(), other.parts_.size()); ++i) {
    const auto mine = rank(parts_, i);
    const auto theirs = rank(other.parts_, i);
    if (mine != theirs) return mine <=> theirs;
  }
  return std::weak_ordering::equivalent;
}

}  // namespace holdfast::base
