#include "cli/run/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

namespace holdfast::cli {

void let_go_of_streams(int keep, std::initializer_list<int> keep_too) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) {
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
    if (null > STDERR_FILENO) ::close(null);
  }
  std::vector<int> kept(keep_too);
  kept.push_back(keep);
  std::sort(kept.begin(), kept.end());
  unsigned next = STDERR_FILENO + 1;
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (number > next) ::close_range(next, number - 1, 0);
    next = std::max(next, number + 1);
  }
  ::close_range(next, ~0U, 0);
}

void say(std::string_view sentence) {
  const auto line = std::string("holdfast: ").append(sentence).append("\n");
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace holdfast::cli
