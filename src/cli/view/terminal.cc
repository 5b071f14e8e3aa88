#include "cli/view/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace holdfast::cli {

std::optional<TerminalSize> terminal_size(int fd) {
  if (::isatty(fd) != 1) return std::nullopt;
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0;
  return TerminalSize{known && size.ws_col > 0 ? size.ws_col : std::size_t{80},
                      known && size.ws_row > 0 ? size.ws_row : std::size_t{24}};
}

bool can_redraw(int fd) {
  const char* kind = std::getenv("TERM");
  return ::isatty(fd) == 1 && kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

std::optional<std::size_t> terminal_width(int fd) {
  const auto size = terminal_size(fd);
  return size ? std::optional(size->columns) : std::nullopt;
}

}  // namespace holdfast::cli
