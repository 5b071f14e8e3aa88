#include "cli/view/colour.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/view/terminal.h"

namespace holdfast::cli {
namespace {

std::string_view start_of(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::title: return "\x1b[1m";
    case Tone::faint: return "\x1b[2m";
    case Tone::good: return "\x1b[32m";
    case Tone::notice: return "\x1b[33m";
    case Tone::bad: return "\x1b[31m";
  }
  return "";
}

}  // namespace

bool has_colours(int fd) {
  const char* unwanted = std::getenv("NO_COLOR");
  return can_redraw(fd) && (unwanted == nullptr || *unwanted == '\0');
}

std::string painted(std::string_view text, Tone tone) {
  const auto start = start_of(tone);
  return start.empty() || text.empty() ? std::string(text) : fmt::format("{}{}{}", start, text, kNoTone);
}

}  // namespace holdfast::cli
