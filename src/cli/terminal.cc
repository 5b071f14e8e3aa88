#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace holdfast::cli {

std::optional<TerminalSize> terminal_size(int fd) {
  if (::isatty(fd) != 1) return std::nullopt;
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0;
  return TerminalSize{known && size.ws_col > 0 ? size.ws_col : std::size_t{80},
                      known && size.ws_row > 0 ? size.ws_row : std::size_t{24}};
}

std::optional<std::size_t> terminal_width(int fd) {
  const auto size = terminal_size(fd);
  return size ? std::optional(size->columns) : std::nullopt;
}

}  // namespace holdfast::cli
