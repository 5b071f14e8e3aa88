// terminal.h -- whether a person is looking, and how much they can see.
#pragma once

#include <cstddef>
#include <optional>

namespace holdfast::cli {

struct TerminalSize {
  std::size_t columns;
  std::size_t rows;
};
// Nothing if `fd` is no terminal. 80 by 24 if it is one that does not know.
std::optional<TerminalSize> terminal_size(int fd);
std::optional<std::size_t> terminal_width(int fd);

// It is a terminal that understands escape sequences: TERM says which, and is not "dumb".
bool can_redraw(int fd);

}  // namespace holdfast::cli
