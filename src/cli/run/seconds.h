// seconds.h -- lengths of time as people give them to a command: seconds, with fractions, or with a unit.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace holdfast::cli {

// "2", "0.5", "250ms", "1.5s", "10m", "2h", "1d". The error says what would be right.
tl::expected<std::chrono::nanoseconds, std::string> parse_seconds(std::string_view text);

// "14.2s", "0.25s", "2s": for messages, two decimals at most.
std::string show_seconds(std::chrono::nanoseconds duration);

}  // namespace holdfast::cli
