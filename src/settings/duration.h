// duration.h -- lengths of time as people write them: "0.5s", "250ms", "10m", "2h", "1d"; and back to text.
//
//   written in           a number without a unit
//   an option            is seconds, as in flock(1), sleep(1) and timeout(1)
//   our files, variables is refused: beside ZooKeeper's, where it is milliseconds, it would be misread
//   zoo.cfg, zk-lock:    is milliseconds, as their users have it; the code that reads them adds the unit
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "settings/setting_value.h"

namespace holdfast::settings {

// "3" -> "3s"; anything but a plain number stays as it is. For options, and with "ms" for files of ZooKeeper's kind.
std::string with_unit(std::string_view text, std::string_view unit = "s");

// A text with a unit. What is finer than a millisecond is rounded up. The error says what would be right.
Parsed<std::chrono::milliseconds> parse_duration(std::string_view text, Range<std::chrono::milliseconds> range);
// "1h", "1500ms": exact, in the largest unit that is.
std::string show_duration(std::chrono::milliseconds duration);

// The text of an option, at most a year. The error says what would be right.
Parsed<std::chrono::nanoseconds> parse_seconds(std::string_view text);
// "14.2s", "0.25s", "2s": for messages, two decimals at most.
std::string show_seconds(std::chrono::nanoseconds duration);

}  // namespace holdfast::settings
