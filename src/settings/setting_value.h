// setting_value.h -- what a setting's text means: sizes, numbers, flags; and back to text.
//
// Whatever is wrong is answered with what would be right: "write a size from 1KiB to 1GiB, such as 1MiB". Who asked puts
// before it which setting of which file it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace holdfast::settings {

template <typename T>
using Parsed = tl::expected<T, std::string>;

// Both ends included.
template <typename T>
struct Range {
  T least;
  T most;
};

// "64KiB", "1MiB", "2GiB", "500kB", "1MB", "1GB"; a plain number is bytes.
Parsed<std::size_t> parse_size(std::string_view text, Range<std::size_t> range);
std::string show_size(std::size_t size);

// "20000"; "20_000" and "20'000" are not numbers.
Parsed<std::size_t> parse_count(std::string_view text, Range<std::size_t> range);

// true, yes, on; false, no, off.
Parsed<bool> parse_flag(std::string_view text);

// Text from outside for a message of ours: in quotes, not too long, without control characters.
std::string in_quotes(std::string_view text);

std::string_view trimmed(std::string_view text);

}  // namespace holdfast::settings
