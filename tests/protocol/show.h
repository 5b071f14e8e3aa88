// show.h -- bytes in readable words, for requests and replies alike.
#pragma once

#include <string>
#include <string_view>

#include "jute.h"

namespace holdfast::testing {

// In quotes, with \xNN for what is not printable; null without quotes. Longer than kShown: its end is replaced by the
// length and a checksum, so that two shown texts are equal only if the bytes are.
std::string show(const Text& text);

inline constexpr std::size_t kShown = 160;

// An ACL's permissions, scheme and id.
struct AclEntry {
  std::int32_t perms = 0;
  Text scheme{};
  Text id{};
};

std::string show(const AclEntry& entry);

}  // namespace holdfast::testing
