// shell_command.h -- `holdfast shell` as a child of a test: with a script, or with a person at a terminal.
#pragma once

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/process.h"
#include "support/pty.h"
#include "support/temp_dir.h"

namespace holdfast::testing {

// For a starved machine; nothing waits for it when all is well.
inline constexpr std::chrono::seconds kPatience{60};

struct Ran {
  std::optional<int> code;  // nothing: it did not end
  std::string out{};
  std::string err{};
};

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// `arguments` stand behind --url; `lines` are its standard input.
inline Ran run_shell(const std::string& url, std::vector<std::string> arguments,
                     const std::vector<std::string>& lines = {}) {
  const TempDir dir("shell");
  std::vector<std::string> argv{HOLDFAST_COMMAND, "shell", "--url", url};
  // A disk that hangs for seconds, or a machine that does, is not what most tests are about.
  if (std::find(arguments.begin(), arguments.end(), "--connect-timeout") == arguments.end()) {
    argv.insert(argv.end(), {"--connect-timeout", "60s"});
  }
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  Process process({.argv = std::move(argv),
                   .env = {{"XDG_STATE_HOME", (dir / "state").string()},
                           {"HOLDFAST_STATE_DIR", (dir / "local").string()},
                           {"HOME", dir.path().string()}},
                   .stdout_file = dir / "out",
                   .stderr_file = dir / "err"});
  for (const auto& line : lines) process.write_line(line);
  process.close_stdin();
  const auto code = process.wait(kPatience);
  return {.code = code, .out = content_of(dir / "out"), .err = content_of(dir / "err")};
}

// One command, its words apart.
inline Ran one_shot(const std::string& address, std::vector<std::string> words) {
  words.insert(words.begin(), "--");
  return run_shell("zk://" + address, std::move(words));
}

// A person in front of an interactive shell. `home` is theirs; two of one person share it.
inline std::unique_ptr<Pty> shell_on_terminal(const std::string& address, const std::filesystem::path& home,
                                              std::vector<std::string> more = {}, unsigned short columns = 80) {
  std::vector<std::string> argv{HOLDFAST_COMMAND, "shell", "--url", "zk://" + address};
  argv.insert(argv.end(), more.begin(), more.end());
  return std::make_unique<Pty>(
      PtyOptions{.argv = std::move(argv),
                 .env = {{"XDG_STATE_HOME", (home / "state").string()}, {"HOME", home.string()}, {"LC_ALL", "C.UTF-8"}},
                 .columns = columns});
}

}  // namespace holdfast::testing
