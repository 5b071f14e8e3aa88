#include "cli/view/live_screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "cli/view/columns.h"
#include "cli/view/output.h"
#include "cli/view/terminal.h"

namespace holdfast::cli {

LiveScreen::~LiveScreen() {
  try {
    leave();
  } catch (const std::system_error&) {
    // The terminal is gone, and its cursor with it.
  }
}

namespace {

std::string rest_of(std::size_t above, std::size_t below, std::string_view keys) {
  std::string text = "...";
  if (below > 0) text += fmt::format(" {} more line{}", below, below == 1 ? "" : "s");
  if (above > 0) text += fmt::format("{} {} above", below > 0 ? "," : "", above);
  return keys.empty() ? text : fmt::format("{} ({})", text, keys);
}

}  // namespace

void LiveScreen::scroll(Key key) {
  constexpr auto kEnd = std::numeric_limits<std::size_t>::max() / 2;  // draw() knows where that is
  switch (key) {
    case Key::up: from_ -= std::min<std::size_t>(from_, 1); break;
    case Key::down: from_ += 1; break;
    case Key::page_up: from_ -= std::min(from_, page_); break;
    case Key::page_down: from_ += page_; break;
    case Key::first: from_ = 0; break;
    case Key::last: from_ = kEnd; break;
    case Key::quit: break;
  }
}

bool LiveScreen::draw(const std::vector<std::string>& lines, std::size_t fixed, std::string_view keys) {
  const auto size = terminal_size(STDOUT_FILENO).value_or(TerminalSize{80, 24});
  // One row stays free for the cursor, so that nothing scrolls away.
  const auto room = std::max<std::size_t>(size.rows, 2) - 1;
  auto shown = lines;
  from_ = lines.size() > room ? from_ : 0;
  if (lines.size() > room) {
    // The last row says how much there is besides. A window with no room for what is fixed shows the beginning of all.
    fixed = fixed + 1 < room ? fixed : 0;
    page_ = std::max<std::size_t>(room - 1 - fixed, 1);
    const auto scrolled = lines.size() - fixed;
    from_ = std::min(from_, scrolled - page_);
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(fixed + from_);
    shown.assign(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(fixed));
    shown.insert(shown.end(), first, first + static_cast<std::ptrdiff_t>(page_));
    shown.push_back(rest_of(from_, scrolled - page_ - from_, keys));
    if (shown.size() > room) shown.erase(shown.begin(), shown.end() - static_cast<std::ptrdiff_t>(room));
  }

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

void LiveScreen::leave() {
  if (hidden_) write_out("\x1b[?25h");
  hidden_ = false;
  drawn_ = 0;
}

}  // namespace holdfast::cli
