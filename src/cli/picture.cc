#include "cli/picture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "cli/columns.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace holdfast::cli {

Picture::~Picture() {
  try {
    leave();
  } catch (const std::system_error&) {
    // The terminal is gone, and its cursor with it.
  }
}

bool Picture::draw(const std::vector<std::string>& lines) {
  const auto size = terminal_size(STDOUT_FILENO).value_or(TerminalSize{80, 24});
  // One row stays free for the cursor, so that nothing scrolls away.
  const auto room = std::max<std::size_t>(size.rows, 2) - 1;
  std::vector<std::string> shown(lines.begin(),
                                 lines.begin() + static_cast<std::ptrdiff_t>(std::min(room, lines.size())));
  if (lines.size() > room) shown.back() = fmt::format("... and {} more lines", lines.size() - room + 1);

  // In one write, so that no half of it is ever seen.
  std::string frame;
  if (!hidden_) frame += "\x1b[?25l";
  if (clear_) {
    frame += "\x1b[2J\x1b[H";
  } else if (drawn_ > 0) {
    frame += fmt::format("\r\x1b[{}A", drawn_);
  }
  for (const auto& line : shown) frame += fit(line, size.columns) + "\x1b[K\r\n";
  frame += "\x1b[J";
  hidden_ = true;
  clear_ = false;
  drawn_ = shown.size();
  return write_out(frame);
}

void Picture::leave() {
  if (hidden_) write_out("\x1b[?25h");
  hidden_ = false;
  drawn_ = 0;
}

}  // namespace holdfast::cli
