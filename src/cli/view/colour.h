// colour.h -- colours, where they help: on a terminal that understands them, and not with NO_COLOR (no-color.org).
#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

enum class Tone { plain, title, faint, good, notice, bad };

// Whether what is written to `fd` may have colours.
bool has_colours(int fd);

// The text in that tone, and after it as before. Takes as many columns as the text alone (columns.h).
std::string painted(std::string_view text, Tone tone);

// The end of every tone.
inline constexpr std::string_view kNoTone = "\x1b[0m";

}  // namespace holdfast::cli
