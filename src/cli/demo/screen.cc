#include "cli/demo/screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace holdfast::cli::demo {
namespace {

constexpr std::size_t kLeastColumns = 80;
constexpr std::size_t kLeastRows = 24;

struct Size {
  std::size_t columns = 0;
  std::size_t rows = 0;
};

Size terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool understands_escapes() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

const char* colour(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::faint: return "\x1b[2m";
    case Tone::good: return "\x1b[32m";
    case Tone::bad: return "\x1b[31m";
    case Tone::title: return "\x1b[1m";
  }
  return "";
}

std::string coloured(const Row& row, bool colours) {
  const std::string_view start = colours ? colour(row.tone) : "";
  return fmt::format("{}{}{}", start, row.text, start.empty() ? "" : "\x1b[0m");
}

void put(const std::string& text) {
  // Nobody looks any more if it fails; the verdict is in the exit code.
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

Screen::Screen() {
  const auto size = terminal_size();
  live_ = understands_escapes() && size.columns >= kLeastColumns && size.rows >= kLeastRows;
  colours_ = understands_escapes() && !is_set("NO_COLOR");
  if (live_) put("\x1b[?25l");  // no cursor
}

Screen::~Screen() {
  if (live_) put("\x1b[?25h");
}

void Screen::draw(const std::vector<Row>& rows) {
  // A window that was made smaller meanwhile: what does not fit is cut, so that a row stays a row.
  const auto size = terminal_size();
  const auto count = std::min(rows.size(), size.rows > 1 ? size.rows - 1 : 0);
  std::string text = drawn_ > 0 ? fmt::format("\r\x1b[{}A", std::min(drawn_, size.rows)) : "";
  for (std::size_t i = 0; i < count; ++i) {
    auto row = rows[i];
    if (size.columns > 0 && row.text.size() >= size.columns) row.text.resize(size.columns - 1);
    text += coloured(row, colours_) + "\x1b[K\n";
  }
  put(text + "\x1b[J");
  drawn_ = count;
}

void Screen::print(const Row& row) {
  drawn_ = 0;
  put(coloured(row, colours_) + "\n");
}

}  // namespace holdfast::cli::demo
