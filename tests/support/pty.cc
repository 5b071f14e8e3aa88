#include "pty.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

#include "process.h"
#include "terminal_screen.h"

namespace holdfast::testing {
namespace {

// For what was written before the end to be read.
constexpr std::chrono::seconds kLastWords{10};
// A program that prints without end would otherwise fill our memory. What comes later is on the screen only.
constexpr std::size_t kMaxKept = 16U << 20U;
// A session that still starts processes after so many rounds of killing is no test of ours.
constexpr int kKillRounds = 100;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

int open_master(const PtyOptions& options) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) fail("posix_openpt");
  const winsize size{options.rows, options.columns, 0, 0};
  if (::grantpt(master) != 0 || ::unlockpt(master) != 0 || ::ioctl(master, TIOCSWINSZ, &size) != 0) {
    ::close(master);
    fail("unlockpt");
  }
  return master;
}

ProcessOptions on_terminal(const PtyOptions& options, int master) {
  std::array<char, 64> name{};
  if (::ptsname_r(master, name.data(), name.size()) != 0) fail("ptsname_r");
  ProcessOptions process{.argv = options.argv, .env = options.env};
  process.env.emplace_back("TERM", "xterm");
  process.working_dir = options.working_dir;
  process.terminal = name.data();
  return process;
}

// The processes whose session is `leader`'s: /proc/PID/stat is "pid (name) state ppid pgrp session ...".
std::vector<pid_t> members_of_session(pid_t leader) {
  std::vector<pid_t> members;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const pid_t pid = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
    if (pid <= 0 || pid == leader) continue;
    std::ifstream file(entry.path() / "stat");
    std::string stat;
    std::getline(file, stat);
    const auto name_end = stat.rfind(')');
    char state = 0;
    int session = 0;
    if (name_end == std::string::npos) continue;
    if (std::sscanf(stat.c_str() + name_end + 1, " %c %*d %*d %d", &state, &session) != 2) continue;
    if (session == leader && state != 'Z') members.push_back(pid);
  }
  return members;
}

}  // namespace

struct Pty::State {
  State(const PtyOptions& options, int fd) : master(fd), screen(options.columns, options.rows) {}

  int master;
  int stop = -1;  // wakes the reader
  std::unique_ptr<Process> process;

  mutable std::mutex mutex;  // guards what follows
  std::condition_variable more;
  TerminalScreen screen;
  std::string text;
  std::string bytes;
  std::size_t cursor = 0;  // in text: behind what was found
  bool at_end = false;
  std::thread reader;

  void read_all();
  // Until `found` has moved the cursor, or `timeout` has passed, or nothing more can come.
  bool wait_for(std::chrono::milliseconds timeout, const std::function<bool()>& found);
};

void Pty::State::read_all() {
  std::array<char, 4096> buffer;
  for (;;) {
    std::array<pollfd, 2> fds{{{master, POLLIN, 0}, {stop, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno == EINTR) continue;
    if (fds[1].revents != 0) break;
    // Read and shown under one lock: whoever has it and finds nothing to read has seen all there is.
    const std::lock_guard lock(mutex);
    const ssize_t got = ::read(master, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // EIO: nobody has the other end open
    const std::string_view read(buffer.data(), static_cast<std::size_t>(got));
    const std::string shown = screen.feed(read);
    if (text.size() < kMaxKept) text += shown;
    if (bytes.size() < kMaxKept) bytes += read;
    more.notify_all();
  }
  const std::lock_guard lock(mutex);
  at_end = true;
  more.notify_all();
}

bool Pty::State::wait_for(std::chrono::milliseconds timeout, const std::function<bool()>& found) {
  std::unique_lock lock(mutex);
  bool success = false;
  more.wait_until(lock, std::chrono::steady_clock::now() + timeout, [&] {
    success = found();
    return success || at_end;
  });
  return success;
}

Pty::Pty(PtyOptions options) : state_(std::make_unique<State>(options, open_master(options))) {
  State& s = *state_;
  try {
    s.process = std::make_unique<Process>(on_terminal(options, s.master));
    s.stop = ::eventfd(0, EFD_CLOEXEC);
    if (s.stop < 0) fail("eventfd");
    s.reader = std::thread([&s] { s.read_all(); });
  } catch (...) {
    ::close(s.master);
    if (s.stop >= 0) ::close(s.stop);
    throw;
  }
}

Pty::~Pty() {
  State& s = *state_;
  // The leader last: while it is there its number is nobody else's session.
  for (int round = 0; round < kKillRounds; ++round) {
    const auto members = members_of_session(pid());
    if (members.empty()) break;
    for (const pid_t member : members) ::kill(member, SIGKILL);
  }
  s.process.reset();
  hang_up();
  ::close(s.stop);
}

void Pty::hang_up() {
  State& s = *state_;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(s.stop, &one, sizeof one);
  if (s.reader.joinable()) s.reader.join();
  if (s.master >= 0) ::close(s.master);
  s.master = -1;
}

pid_t Pty::pid() const noexcept { return state_->process->pid(); }

void Pty::send(std::string_view typed) {
  while (!typed.empty()) {
    const ssize_t wrote = ::write(state_->master, typed.data(), typed.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return;  // nobody is there; the next expect() says so
    typed.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void Pty::key(char letter) {
  const char control = static_cast<char>(letter & 0x1f);
  send({&control, 1});
}

void Pty::resize(unsigned short columns, unsigned short rows) {
  const winsize size{rows, columns, 0, 0};
  if (::ioctl(state_->master, TIOCSWINSZ, &size) != 0) fail("TIOCSWINSZ");
}

bool Pty::expect(std::string_view wanted, std::chrono::milliseconds timeout) {
  State& s = *state_;
  return s.wait_for(timeout, [&] {
    const auto at = s.text.find(wanted, s.cursor);
    if (at == std::string::npos) return false;
    s.cursor = at + wanted.size();
    return true;
  });
}

std::optional<std::vector<std::string>> Pty::expect(const std::regex& pattern, std::chrono::milliseconds timeout) {
  State& s = *state_;
  std::vector<std::string> groups;
  const bool found = s.wait_for(timeout, [&] {
    std::smatch match;
    const auto begin = s.text.cbegin() + static_cast<std::ptrdiff_t>(s.cursor);
    if (!std::regex_search(begin, s.text.cend(), match, pattern)) return false;
    groups.assign(match.begin(), match.end());
    s.cursor += static_cast<std::size_t>(match.position() + match.length());
    return true;
  });
  if (!found) return std::nullopt;
  return groups;
}

std::string Pty::text() const {
  const std::lock_guard lock(state_->mutex);
  return state_->text;
}

std::string Pty::bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->bytes;
}

std::vector<std::string> Pty::screen() const {
  const std::lock_guard lock(state_->mutex);
  return state_->screen.rows();
}

std::string Pty::cursor_row() const {
  const std::lock_guard lock(state_->mutex);
  return state_->screen.row();
}

pid_t Pty::foreground() const { return ::tcgetpgrp(state_->master); }

void Pty::signal(int number) { state_->process->signal(number); }

std::optional<int> Pty::wait(std::chrono::milliseconds timeout) {
  State& s = *state_;
  const auto code = s.process->wait(timeout);
  if (!code) return code;
  // Its last words may still be on their way; others may hold the terminal open, so the end is not waited for.
  std::unique_lock lock(s.mutex);
  s.more.wait_for(lock, kLastWords, [&s] {
    pollfd unread{s.master, POLLIN, 0};
    return s.at_end || ::poll(&unread, 1, 0) == 0;
  });
  return code;
}

}  // namespace holdfast::testing
