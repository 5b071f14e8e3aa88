#include "cli/view/output.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/descriptor.h"
#include "base/text.h"
#include "cli/exit_code.h"

namespace holdfast::cli {

bool write_out(std::string_view text) {
  if (base::write_all(STDOUT_FILENO, text)) return true;
  if (errno == EPIPE) return false;
  throw std::system_error(errno, std::generic_category(), "cannot write to stdout");
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
