#include "cli/demo/screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "cli/view/colour.h"
#include "cli/view/columns.h"
#include "cli/view/terminal.h"

namespace holdfast::cli::demo {
namespace {

constexpr std::size_t kLeastColumns = 80;
constexpr std::size_t kLeastRows = 24;

std::string coloured(const Row& row, bool colours) { return colours ? painted(row.text, row.tone) : row.text; }

void put(const std::string& text) {
  // If it fails, no person looks any more; the verdict is in the exit status.
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

Screen::Screen() {
  const auto size = terminal_size(STDOUT_FILENO);
  live_ = can_redraw(STDOUT_FILENO) && size && size->columns >= kLeastColumns && size->rows >= kLeastRows;
  colours_ = has_colours(STDOUT_FILENO);
  if (live_) put("\x1b[?25l");  // no cursor
}

Screen::~Screen() {
  if (live_) put("\x1b[?25h");
}

void Screen::draw(const std::vector<Row>& rows) {
  // A window that was made smaller meanwhile: what does not fit is cut, so that a row stays a row.
  const auto size = terminal_size(STDOUT_FILENO).value_or(TerminalSize{kLeastColumns, kLeastRows});
  const auto count = std::min(rows.size(), size.rows - 1);
  std::string text = drawn_ > 0 ? fmt::format("\r\x1b[{}A", std::min(drawn_, size.rows)) : "";
  for (std::size_t i = 0; i < count; ++i) {
    auto row = rows[i];
    row.text = fit(row.text, size.columns - 1);
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
