// pty.h -- a program on a terminal, and the person in front of it.
//
// The program leads a session whose terminal is a new pseudo terminal, so it sees what it would see in a window: isatty(),
// a size, echo, Ctrl-C as SIGINT for the foreground. With `bash --norc -i` as the program, job control is the real one.
//
//   Pty bash({"bash", "--norc", "--noprofile", "-i"});
//   ASSERT_TRUE(bash.expect("$ ", 10s)) << bash.text();
//   bash.send("sleep 100\n");
//   bash.key('z');
//   ASSERT_TRUE(bash.expect("Stopped", 10s)) << bash.text();
//
// All that is printed is read at once, whether or not anybody expects it. When it is destroyed, every process of the session is
// killed. As Process, which it is made of, it must be made by a thread that lives as long.
//
// Thread safety: all members but the destructor from any thread; expect() from one at a time, because it moves on.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::testing {

struct PtyOptions {
  std::vector<std::string> argv{};
  std::vector<std::pair<std::string, std::string>> env{};  // added to ours, or replacing; TERM is xterm
  std::string working_dir{};                               // empty: ours
  unsigned short columns = 80;
  unsigned short rows = 24;
};

class Pty {
 public:
  // Throws std::system_error.
  explicit Pty(PtyOptions options);
  explicit Pty(std::vector<std::string> argv) : Pty(PtyOptions{.argv = std::move(argv)}) {}
  ~Pty();
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  pid_t pid() const noexcept;

  // What is typed: "\n" is Enter, "\t" is Tab, "\x1b[A" is the arrow up.
  void send(std::string_view text);
  // With Ctrl held: key('c'), key('z'), key('d'), key('\\').
  void key(char letter);
  // The program is told by SIGWINCH. screen() keeps the size it began with.
  void resize(unsigned short columns, unsigned short rows);

  // Waits until `text` is printed behind what the last successful expect() found. Escape sequences are left out.
  bool expect(std::string_view text, std::chrono::milliseconds timeout);
  // The same for a regular expression; the match and its groups, or nothing.
  std::optional<std::vector<std::string>> expect(const std::regex& pattern, std::chrono::milliseconds timeout);

  // All that was printed, without escape sequences, and with them.
  std::string text() const;
  std::string bytes() const;
  // What is to be seen now, row by row, and the row with the cursor.
  std::vector<std::string> screen() const;
  std::string cursor_row() const;

  // The process group that Ctrl-C would reach.
  pid_t foreground() const;

  void signal(int number);                                     // to the program alone
  std::optional<int> wait(std::chrono::milliseconds timeout);  // as Process::wait(); all it said is there then
  // Closes the window: the session gets SIGHUP.
  void hang_up();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::testing
