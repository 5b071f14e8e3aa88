// show.h -- nodes as text for a person. Whatever others have stored, no control character of theirs reaches the
// terminal, nor what would be invisible there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/jute.h"
#include "wire/records.h"

namespace holdfast::cli::shell {

// Text as it is, but for control characters (\x1b); lines and tabs stay. Bytes that are no text: "0x00ff (2 bytes)",
// the first few if they are many. Without data: "null".
std::string show_data(const wire::Buffer& data);

// "[a, b]", sorted.
std::string show_names(std::vector<std::string> names);

// On one line.
std::string show_path(std::string_view path);

// As zkCli.sh has it, line by line, but times are ISO 8601 in UTC.
std::string show_stat(const wire::Stat& stat);

// Milliseconds since 1970 as 2026-01-31T12:00:00.123Z; what no calendar has as the number.
std::string show_time(std::int64_t milliseconds);

// "WATCHER:: NodeDeleted /a"
std::string show_event(wire::EventType type, std::string_view path);

}  // namespace holdfast::cli::shell
