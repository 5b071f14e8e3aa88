#include "cli/view/output.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/text.h"
#include "cli/exit_code.h"

namespace holdfast::cli {

bool write_out(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      return false;
    } else if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "cannot write to stdout");
    }
  }
  return true;
}

bool write_out(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return write_out(text);
}

void tell(std::string_view sentence) {
  fmt::print(stderr, "holdfast: {}\n", base::printable(sentence, std::string::npos));
}

int guarded(const std::function<int()>& work) noexcept try {
  ::signal(SIGPIPE, SIG_IGN);
  return work();
} catch (const Error& error) {
  tell(error.what());
  return exit_code_of(error);
} catch (const std::exception& error) {
  tell(error.what());
  return kExitNo;
}

}  // namespace holdfast::cli
