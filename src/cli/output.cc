#include "cli/output.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "cli/exit_code.h"
#include "holdfast/error.h"

namespace holdfast::cli {
namespace {

int code_of(const std::error_code& code) {
  if (code == Errc::invalid_argument) return kExitUsage;
  if (code.category() == error_category()) return kExitUnavailable;
  return kExitNo;
}

}  // namespace

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

void tell(std::string_view sentence) { fmt::print(stderr, "holdfast: {}\n", sentence); }

int guarded(const std::function<int()>& work) noexcept try {
  ::signal(SIGPIPE, SIG_IGN);
  return work();
} catch (const std::system_error& error) {
  tell(error.what());
  return code_of(error.code());
} catch (const std::exception& error) {
  tell(error.what());
  return kExitNo;
}

}  // namespace holdfast::cli
