// screen.h -- where the demonstration is shown.
//
//   stdout is                            shown
//   a terminal of at least 80 by 24      a picture, drawn again in place
//   anything else                        every entry of the log, a line each
//
// Colours on a terminal only, and not with NO_COLOR (no-color.org).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cli/demo/picture.h"

namespace holdfast::cli::demo {

class Screen {
 public:
  Screen();
  // The last picture stays; the cursor is back, below it.
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool live() const noexcept { return live_; }

  // Live: over the picture before.
  void draw(const std::vector<Row>& rows);
  // Below everything so far.
  void print(const Row& row);

 private:
  bool live_;
  bool colours_;
  std::size_t drawn_ = 0;  // rows of the picture above the cursor
};

}  // namespace holdfast::cli::demo
