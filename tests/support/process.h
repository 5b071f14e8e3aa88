// process.h -- a child process that cannot outlive its guard.
//
//              wait()            signal()          ~Process()
//   running    blocks            delivered         SIGKILL, reaped
//   paused     blocks            pending, but      SIGKILL, reaped
//                                for SIGKILL/CONT
//   exited     the exit status   no effect         nothing
//
// The child is also killed when this process dies in any way (PR_SET_PDEATHSIG), so that no server survives
// a test that was killed. That signal is tied to the *thread* that started the child, not to the process:
// a child started from a short-lived thread dies when that thread ends. Start children from the main thread
// or from one that lives as long as they should.
//
// Thread safety: all members but the destructor from any thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::testing {

struct ProcessOptions {
  std::vector<std::string> argv{};                         // argv[0] is looked up in PATH
  std::vector<std::pair<std::string, std::string>> env{};  // added to ours, or replacing
  std::filesystem::path working_dir{};                     // empty: ours
  std::filesystem::path stdout_file{};                     // empty: a pipe, see read_line()
  std::filesystem::path stderr_file{};                     // empty: ours; may equal stdout_file
  // The other end of a pseudo terminal (see pty.h): stdin, stdout and stderr of the child, which leads a session on it.
  std::filesystem::path terminal{};
};

class Process {
 public:
  using Clock = std::chrono::steady_clock;

  struct Line {
    std::string text;      // without the newline
    Clock::time_point at;  // when it arrived here, not when somebody asked for it
  };

  // Throws std::system_error if the program cannot be run. No descriptor of ours but 0, 1 and 2 is inherited.
  explicit Process(const ProcessOptions& options);
  explicit Process(std::vector<std::string> argv);

  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const noexcept;

  // False if the child no longer reads.
  bool write_line(std::string_view line);
  void close_stdin();

  // The next line of stdout; nothing once `timeout` has passed, or stdout is at its end.
  std::optional<std::string> read_line(std::chrono::milliseconds timeout);
  std::optional<Line> read_timed_line(std::chrono::milliseconds timeout);

  // No effect on a child that has been waited for, so that a recycled pid is never hit.
  void signal(int number);
  void kill9();   // SIGKILL; does not wait for the end
  void pause();   // SIGSTOP; returns once every thread of the child stands still
  void resume();  // SIGCONT

  // The exit code, or 128 + signal number as shells have it; nothing if it still runs after `timeout`.
  std::optional<int> wait(std::chrono::milliseconds timeout);
  bool running() { return !wait(std::chrono::milliseconds{0}).has_value(); }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::testing
