#include "cli/demo/screen.h"

#include <unistd.h>

#include <string>

#include "cli/view/colour.h"
#include "cli/view/output.h"
#include "cli/view/terminal.h"

namespace holdfast::cli::demo {
namespace {

constexpr std::size_t kLeastColumns = 80;
constexpr std::size_t kLeastRows = 24;

std::string coloured(const Row& row, bool colours) { return colours ? painted(row.text, row.tone) : row.text; }

}  // namespace

Screen::Screen() {
  const auto size = terminal_size(STDOUT_FILENO);
  live_ = can_redraw(STDOUT_FILENO) && size && size->columns >= kLeastColumns && size->rows >= kLeastRows;
  colours_ = has_colours(STDOUT_FILENO);
}

void Screen::draw(const std::vector<Row>& rows) {
  std::vector<std::string> lines;
  for (const auto& row : rows) lines.push_back(coloured(row, colours_));
  // If it fails, no person looks any more; the verdict is in the exit status.
  screen_.draw(lines);
}

void Screen::print(const Row& row) {
  screen_.leave();
  write_out(coloured(row, colours_) + "\n");
}

}  // namespace holdfast::cli::demo
