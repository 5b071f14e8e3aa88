// screen.h -- where the demonstration is shown.
//
//   stdout is                            shown
//   a terminal of at least 80 by 24      the scene, drawn again in place
//   anything else                        every entry of the log, a line each
//
// Colours on a terminal only, and not with NO_COLOR (no-color.org).
#pragma once

#include <vector>

#include "cli/demo/scene.h"
#include "cli/view/live_screen.h"

namespace holdfast::cli::demo {

class Screen {
 public:
  Screen();

  bool live() const noexcept { return live_; }

  // Live: over the rows before.
  void draw(const std::vector<Row>& rows);
  // Below everything so far.
  void print(const Row& row);

 private:
  bool live_;
  bool colours_;
  LiveScreen screen_;
};

}  // namespace holdfast::cli::demo
