#include "process_spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace holdfast::testing {
namespace {

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
  Fd read;
  Fd write;

  Pipe() {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0) fail(errno, "pipe2");
    read = Fd(fds[0]);
    write = Fd(fds[1]);
  }
};

Fd open_for_append(const std::filesystem::path& path) {
  // Appending, so that stdout and stderr may share a file, and a restarted server keeps its history.
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) fail(errno, path);
  return Fd(fd);
}

// PATH is searched here, because execvp() may allocate, which a fork of a threaded program must not.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    std::string candidate = std::string(rest.substr(0, colon)).append("/").append(name);
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
  }
  fail(ENOENT, name);
}

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : added) replaced = replaced || key == name;
    if (!replaced) merged.emplace_back(text);
  }
  for (const auto& [key, value] : added) merged.emplace_back(key).append("=").append(value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

// All the child needs, made before the fork.
struct Plan {
  const char* program;
  char* const* argv;
  char* const* envp;
  const char* working_dir;  // may be null
  const char* terminal;     // may be null
  int stdin_fd;
  int stdout_fd;
  int stderr_fd;  // -1: inherited
  int error_fd;
  pid_t parent;
};

// Between fork and exec: async-signal-safe calls only, because another thread may hold any lock.
[[noreturn]] void become(const Plan& plan) {
  const auto give_up = [&plan]() {
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(plan.error_fd, &error, sizeof error);
    ::_exit(127);
  };

  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up();
  // The parent may have died before the line above; then nobody will send that signal.
  if (::getppid() != plan.parent) ::_exit(127);

  // A test runner's mask and ignored signals are not the child's business.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);

  int in = plan.stdin_fd;
  int out = plan.stdout_fd;
  int err = plan.stderr_fd;
  if (plan.terminal != nullptr) {
    // The first terminal that the leader of a session opens becomes the session's.
    if (::setsid() < 0) give_up();
    in = out = err = ::open(plan.terminal, O_RDWR | O_CLOEXEC);
    if (in < 0) give_up();
  }
  if (::dup2(in, STDIN_FILENO) < 0) give_up();
  if (::dup2(out, STDOUT_FILENO) < 0) give_up();
  if (err >= 0 && ::dup2(err, STDERR_FILENO) < 0) give_up();
  // Libraries open descriptors without O_CLOEXEC. Inherited, they would keep sockets and pipes open.
  if (::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0) give_up();
  if (plan.working_dir != nullptr && ::chdir(plan.working_dir) != 0) give_up();
  ::execve(plan.program, plan.argv, plan.envp);
  give_up();
  ::_exit(127);  // not reached; tells the compiler
}

}  // namespace

Spawned spawn(const ProcessOptions& options) {
  if (options.argv.empty()) fail(EINVAL, "spawn: empty argv");
  std::vector<std::string> arguments = options.argv;
  std::vector<std::string> environment = merged_environment(options.env);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const std::string program = find_program(options.argv.front());

  Pipe stdin_pipe;
  Pipe error_pipe;
  Fd our_stdout;
  Fd child_stdout;
  const bool on_terminal = !options.terminal.empty();
  if (on_terminal) {
    stdin_pipe.write = Fd();
  } else if (options.stdout_file.empty()) {
    Pipe stdout_pipe;
    our_stdout = std::move(stdout_pipe.read);
    child_stdout = std::move(stdout_pipe.write);
  } else {
    child_stdout = open_for_append(options.stdout_file);
  }
  const Fd child_stderr = options.stderr_file.empty() ? Fd() : open_for_append(options.stderr_file);

  const Plan plan{program.c_str(),
                  argv.data(),
                  envp.data(),
                  options.working_dir.empty() ? nullptr : options.working_dir.c_str(),
                  on_terminal ? options.terminal.c_str() : nullptr,
                  stdin_pipe.read.get(),
                  child_stdout.get(),
                  child_stderr.get(),
                  error_pipe.write.get(),
                  ::getpid()};
  const pid_t pid = ::fork();
  if (pid < 0) fail(errno, "fork");
  if (pid == 0) become(plan);

  // The write end closes with a successful exec; until then this waits, so that a Process that was
  // constructed runs the program it was asked to.
  error_pipe.write = Fd();
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(error_pipe.read.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got != 0) {
    ::waitpid(pid, nullptr, 0);
    fail(got == sizeof error ? error : EIO, program);
  }
  return {pid, stdin_pipe.write.release(), our_stdout.release()};
}

}  // namespace holdfast::testing
