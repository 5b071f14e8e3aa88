#include "cli/run/command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace holdfast::cli {
namespace {

int check_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return errno == EACCES ? EACCES : ENOENT;
  if (!S_ISREG(status.st_mode)) return EACCES;
  return ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : EACCES;
}

bool readable_until(int fd, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd readable{fd, POLLIN, 0};
    constexpr std::int64_t kLongest = 60'000;
    const int ready = ::poll(&readable, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, kLongest)));
    if (ready > 0) return true;
    if (ready == 0 && left <= 0) return false;
  }
}

[[noreturn]] void become(const CommandStart& start, pid_t guardian, int errors) {
  const auto give_up = [errors](int error) {
    [[maybe_unused]] const auto written = ::write(errors, &error, sizeof error);
    ::_exit(127);
  };
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != guardian) ::_exit(127);  // it died before the line above
  // It may be gone with the wrapper, and then we will be.
  ::setpgid(0, start.group);
  for (const auto& [name, value] : start.env) {
    if (::setenv(name.c_str(), value.c_str(), 1) != 0) give_up(errno);
  }
  std::vector<char*> argv;
  for (const auto& word : start.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  if (start.ignores_children) ::signal(SIGCHLD, SIG_IGN);
  restore_scheduling(start.scheduling);
  ::sigprocmask(SIG_SETMASK, &start.mask, nullptr);
  if (Clock::now() >= start.not_after) give_up(ETIMEDOUT);
  ::execvp(argv.front(), argv.data());
  give_up(errno);
  ::_exit(127);  // not reached; tells the compiler
}

}  // namespace

int check_command(const std::string& name) {
  if (name.empty()) return ENOENT;
  if (name.find('/') != std::string::npos) return check_file(name);
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/bin:/usr/bin";  // execvp()'s own default
  int worst = ENOENT;
  for (bool more = true; more;) {
    const auto colon = rest.find(':');
    const auto dir = rest.substr(0, colon);
    more = colon != std::string_view::npos;
    if (more) rest.remove_prefix(colon + 1);
    const int error = check_file(dir.empty() ? name : std::string(dir).append("/").append(name));
    if (error == 0) return 0;
    if (error == EACCES) worst = EACCES;
  }
  return worst;
}

tl::expected<pid_t, int> start_command(const CommandStart& start) {
  std::array<int, 2> errors{};
  if (::pipe2(errors.data(), O_CLOEXEC) != 0) return tl::unexpected(errno);
  const pid_t guardian = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) become(start, guardian, errors[1]);
  const int fork_error = errno;
  ::close(errors[1]);
  // The other end closes when the command has taken over. It is killed if that takes too long: it gets its turn when we do not.
  int error = 0;
  ssize_t got = 0;
  if (pid > 0 && !readable_until(errors[0], start.not_after)) {
    ::kill(pid, SIGKILL);
    error = ETIMEDOUT;
    got = sizeof error;
  }
  while (pid > 0 && error == 0) {
    got = ::read(errors[0], &error, sizeof error);
    if (got >= 0 || errno != EINTR) break;
  }
  ::close(errors[0]);
  if (pid < 0) return tl::unexpected(fork_error);
  if (got == 0) return pid;
  ::waitpid(pid, nullptr, 0);
  return tl::unexpected(got == sizeof error ? error : EIO);
}

}  // namespace holdfast::cli
