// picture.h -- lines on a terminal that are drawn again in place. The cursor is hidden meanwhile, and comes back with the end of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::cli {

class Picture {
 public:
  Picture() = default;
  ~Picture();
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  // In place of what was drawn before. As many lines as the terminal has room for, each cut to its width. Must be printable.
  // False if nobody looks any more.
  bool draw(const std::vector<std::string>& lines);
  // The terminal has another size: where our lines are now is anybody's guess, so the next picture begins on an empty screen.
  void resized() { clear_ = true; }
  // Others may write now: the cursor is back, and the next picture begins below.
  void leave();

 private:
  std::size_t drawn_ = 0;  // lines above the cursor that are ours
  bool clear_ = false;
  bool hidden_ = false;
};

}  // namespace holdfast::cli
