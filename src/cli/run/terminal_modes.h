// terminal_modes.h -- the terminal as it was before the command, which may be killed before it can tidy up.
#pragma once

#include <termios.h>

#include <optional>

#include "base/descriptor.h"

namespace holdfast::cli {

class TerminalModes {
 public:
  // Remembers, if this job is in the foreground of a terminal.
  TerminalModes();

  // This job is in the foreground: there is a shell that waits for it, and for nothing else.
  bool in_foreground() const;
  // After the command was killed: the modes, and the foreground, if the command had made a group of its own the foreground.
  void restore();

 private:
  const base::Descriptor tty_;
  std::optional<termios> before_;
};

}  // namespace holdfast::cli
