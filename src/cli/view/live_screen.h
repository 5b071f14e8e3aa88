// live_screen.h -- lines on a terminal that are drawn again in place. The cursor is hidden meanwhile, and comes back with the end of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/view/keys.h"

namespace holdfast::cli {

class LiveScreen {
 public:
  LiveScreen() = default;
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  // In place of what was drawn before. The first `fixed` lines stay on top; of the others as many as the terminal has room for, from where
  // it was scrolled to. Each is cut to the terminal's width, and must be printable, but for colours (colour.h). `keys`: what a person can do
  // about lines that do not fit. False if stdout has no reader any more.
  bool draw(const std::vector<std::string>& lines, std::size_t fixed = 0, std::string_view keys = "");
  // Up, down, a page, to the first or the last line; seen with the next draw().
  void scroll(Key key);
  // The terminal has another size: where our lines are now is not known, so the next draw() begins on an empty screen.
  void resized() { clear_ = true; }
  // Makes room for other output: the cursor is back, and the next draw() begins below it.
  void leave();

 private:
  std::size_t drawn_ = 0;  // lines above the cursor that are ours
  std::size_t from_ = 0;   // of those that scroll, the first that is shown
  std::size_t page_ = 1;   // so many of them were shown
  bool clear_ = false;
  bool hidden_ = false;
};

}  // namespace holdfast::cli
