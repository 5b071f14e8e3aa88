#include "cli/run/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "base/text.h"

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

void occupy_closed_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    // The lowest number that is free, which is the one that is missing.
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF) ::open("/dev/null", O_RDWR | O_CLOEXEC);
  }
}

void say(std::string_view sentence) {
  write_to_stderr("holdfast: " + base::printable(sentence, std::string::npos) + "\n");
}

void write_to_stderr(std::string_view bytes) {
  struct stat status {};
  if (::fstat(STDERR_FILENO, &status) != 0) return;
  // O_NONBLOCK belongs to what is open, which others share; so pipes and terminals are opened once more for it.
  const bool may_block = S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode);
  const int own = may_block ? ::open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  if (own < 0 && ::poll(&room, 1, 0) != 1) return;
  [[maybe_unused]] const auto written = ::write(own < 0 ? STDERR_FILENO : own, bytes.data(), bytes.size());
  if (own >= 0) ::close(own);
}

}  // namespace holdfast::cli
