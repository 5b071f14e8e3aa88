// name.h -- which names locks may have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace holdfast::base {

// Bytes of UTF-8, without the leading slash. ZooKeeper sends whole paths with every request; a longer name is probably a mistake.
inline constexpr std::size_t kMaxNameLength = 512;
inline constexpr std::size_t kMaxNameDepth = 32;

// Whether some name has this code point.
bool may_be_in_name(std::uint32_t code);

// The name without its optional leading slash, or one sentence that says what is wrong and what would be right.
tl::expected<std::string, std::string> parse_name(std::string_view name);

}  // namespace holdfast::base
