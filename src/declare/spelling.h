// spelling.h -- how an argument is spelled in a name: include/holdfast/lock_name.h says it.
//
// Undone by reading %2f as the byte that it is, and a lone % as nothing; so no two arguments are spelled alike. Only a digest cannot be undone:
// two of them that are alike would be a collision of SHA-256.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::declare {

// Longer spellings are a beginning and a digest.
inline constexpr std::size_t kLongestSpelling = 128;

std::string spell(std::string_view argument);
// Each byte as %2f. For a part of a path that would be taken for something else. A digest stays one.
std::string spell_every_byte(std::string_view argument);

// An ASCII character that may stand in the spelling of some argument.
bool is_in_spellings(char c) noexcept;

}  // namespace holdfast::declare
