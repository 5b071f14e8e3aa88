#include "process.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "process_spawn.h"

namespace holdfast::testing {
namespace {

using Clock = Process::Clock;

// A child that prints without end and is never read would otherwise fill our memory.
constexpr std::size_t kMaxUnreadLines = 1'000'000;

// Rounded up, so that a wait never ends early and spins. A day is for ever in a test.
int poll_timeout(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  constexpr std::chrono::milliseconds kDay = std::chrono::hours{24};
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, kDay.count()));
}

void close_if_open(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// write() to a pipe nobody reads raises SIGPIPE. It must not end the test, and must not be ignored for the
// whole process either: that would hide a library under test which forgets about it.
class SigpipeBlocked {
 public:
  SigpipeBlocked() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~SigpipeBlocked() {
    const timespec now{0, 0};
    while (::sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeBlocked(const SigpipeBlocked&) = delete;
  SigpipeBlocked& operator=(const SigpipeBlocked&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
};

}  // namespace

struct Process::State {
  pid_t pid = -1;
  int pidfd = -1;
  int stdin_fd = -1;
  int stdout_fd = -1;
  int stop_fd = -1;  // wakes the reader, as a grandchild may keep stdout open for ever

  std::mutex reaping;  // guards `status`, and that pid still means our child
  std::optional<int> status;
  std::mutex writing;  // guards stdin_fd

  std::mutex reading;  // guards the two below
  std::condition_variable more;
  std::deque<Line> lines;
  bool at_end = false;
  std::thread reader;

  void read_all();
  void take(std::string_view bytes, std::string& partial);
};

void Process::State::take(std::string_view bytes, std::string& partial) {
  const auto now = Clock::now();
  const std::lock_guard lock(reading);
  for (const char c : bytes) {
    if (c != '\n') {
      partial += c;
    } else {
      lines.push_back({std::exchange(partial, {}), now});
      if (lines.size() > kMaxUnreadLines) lines.pop_front();
    }
  }
  more.notify_all();
}

void Process::State::read_all() {
  std::string partial;
  std::array<char, 4096> buffer;
  for (;;) {
    std::array<pollfd, 2> fds{{{stdout_fd, POLLIN, 0}, {stop_fd, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if (fds[1].revents != 0) break;
    const ssize_t got = ::read(stdout_fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    take({buffer.data(), static_cast<std::size_t>(got)}, partial);
  }
  if (!partial.empty()) take("\n", partial);
  const std::lock_guard lock(reading);
  at_end = true;
  more.notify_all();
}

Process::Process(std::vector<std::string> argv) : Process(ProcessOptions{.argv = std::move(argv)}) {}

Process::Process(const ProcessOptions& options) : state_(std::make_unique<State>()) {
  State& s = *state_;
  const Spawned child = spawn(options);
  s.pid = child.pid;
  s.stdin_fd = child.stdin_fd;
  s.stdout_fd = child.stdout_fd;
  // By number: <sys/pidfd.h> of glibc 2.36 forgot extern "C".
  s.pidfd = static_cast<int>(::syscall(SYS_pidfd_open, s.pid, 0));
  s.stop_fd = ::eventfd(0, EFD_CLOEXEC);
  if (s.pidfd < 0 || s.stop_fd < 0) {
    const int error = errno;
    ::kill(s.pid, SIGKILL);
    ::waitpid(s.pid, nullptr, 0);
    for (int* fd : {&s.stdin_fd, &s.stdout_fd, &s.pidfd, &s.stop_fd}) close_if_open(*fd);
    throw std::system_error(error, std::generic_category(), "pidfd_open");
  }
  if (s.stdout_fd >= 0) {
    s.reader = std::thread([&s] { s.read_all(); });
  } else {
    s.at_end = true;
  }
}

Process::~Process() {
  State& s = *state_;
  kill9();
  // SIGKILL cannot be refused; only the kernel can make this take long.
  while (!wait(std::chrono::seconds{10}).has_value()) {
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(s.stop_fd, &one, sizeof one);
  if (s.reader.joinable()) s.reader.join();
  for (int* fd : {&s.stdin_fd, &s.stdout_fd, &s.pidfd, &s.stop_fd}) close_if_open(*fd);
}

pid_t Process::pid() const noexcept { return state_->pid; }

bool Process::write_line(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  const std::lock_guard lock(state_->writing);
  const SigpipeBlocked blocked;
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(state_->stdin_fd, text.data() + done, text.size() - done);
    if (wrote >= 0) {
      done += static_cast<std::size_t>(wrote);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

void Process::close_stdin() {
  const std::lock_guard lock(state_->writing);
  close_if_open(state_->stdin_fd);
}

std::optional<Process::Line> Process::read_timed_line(std::chrono::milliseconds timeout) {
  State& s = *state_;
  std::unique_lock lock(s.reading);
  s.more.wait_until(lock, Clock::now() + timeout, [&s] { return !s.lines.empty() || s.at_end; });
  if (s.lines.empty()) return std::nullopt;
  Line line = std::move(s.lines.front());
  s.lines.pop_front();
  return line;
}

std::optional<std::string> Process::read_line(std::chrono::milliseconds timeout) {
  auto line = read_timed_line(timeout);
  if (!line) return std::nullopt;
  return std::move(line->text);
}

void Process::signal(int number) {
  const std::lock_guard lock(state_->reaping);
  if (!state_->status) ::kill(state_->pid, number);
}

void Process::kill9() { signal(SIGKILL); }

void Process::pause() {
  const std::lock_guard lock(state_->reaping);
  if (state_->status) return;
  ::kill(state_->pid, SIGSTOP);
  // Delivery takes a moment. WNOWAIT: an exit that came first is left for wait().
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(state_->pid), &info, WSTOPPED | WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
}

void Process::resume() { signal(SIGCONT); }

std::optional<int> Process::wait(std::chrono::milliseconds timeout) {
  State& s = *state_;
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    pollfd exited{s.pidfd, POLLIN, 0};
    const int ready = ::poll(&exited, 1, poll_timeout(deadline));
    if (ready < 0 && errno == EINTR) continue;
    const std::lock_guard lock(s.reaping);
    if (s.status) return s.status;
    int raw = 0;
    if (ready > 0 && ::waitpid(s.pid, &raw, WNOHANG) == s.pid) {
      s.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
      return s.status;
    }
    if (Clock::now() >= deadline) return std::nullopt;
  }
}

}  // namespace holdfast::testing
