// Commands that no person types: from the command line, and from standard input.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"
#include "cli/shell/commands.h"
#include "cli/shell/modes.h"
#include "cli/shell/words.h"

namespace holdfast::cli::shell {
namespace {

// A node's data, twice over: each of its bytes may need a backslash.
constexpr std::size_t kLongestLine = 4 << 20;

// Standard input by lines, while the session is kept alive.
class Lines {
 public:
  explicit Lines(PolledSession& session) : session_(session) {}

  // False at the end. Throws std::runtime_error.
  bool next(std::string& line) {
    for (;;) {
      if (const auto end = buffer_.find('\n', searched_); end != std::string::npos) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        searched_ = 0;
        return true;
      }
      searched_ = buffer_.size();
      if (buffer_.size() > kLongestLine) throw std::runtime_error("a line of standard input is longer than 4 MiB");
      if (!read_more()) {
        line = std::exchange(buffer_, {});
        searched_ = 0;
        return !line.empty();
      }
    }
  }

 private:
  bool read_more() {
    (void)session_.wait_readable(STDIN_FILENO);  // nothing interrupts it
    std::array<char, 65536> bytes;
    const auto got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0) throw std::system_error(errno, std::generic_category(), "standard input");
    buffer_.append(bytes.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  PolledSession& session_;
  std::string buffer_;
  std::size_t searched_ = 0;
};

SessionNews told() {
  return {.event =
              [](const std::string& line) {
                fmt::print("{}\n", line);
                std::fflush(stdout);
              },
          .connection = [](const std::string& line) { fmt::print(stderr, "holdfast: {}\n", line); }};
}

int report(const Trouble& trouble, const std::string& where) {
  std::fflush(stdout);  // so that they are in order where both go to one place
  fmt::print(stderr, "holdfast: {}{}\n", where, trouble.text);
  return trouble.exit_code;
}

}  // namespace

int run_once(const SessionOptions& options, const std::vector<std::string>& words) {
  PolledSession session(options, {}, told());
  if (const auto opened = session.open(); !opened) return report(trouble_of(opened.error(), "/", false), "");
  History history(std::nullopt);
  Context context{.session = session, .history = history, .on_terminal = ::isatty(STDOUT_FILENO) == 1};
  const auto done = run_command(context, words);
  if (!done) return report(done.error(), "");
  if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "standard output");
  return 0;
}

int run_script(const SessionOptions& options, bool keep_going) {
  PolledSession session(options, {}, told());
  if (const auto opened = session.open(); !opened) return report(trouble_of(opened.error(), "/", false), "");
  History history(std::nullopt);
  Context context{.session = session, .history = history, .on_terminal = ::isatty(STDOUT_FILENO) == 1};
  Lines lines(session);
  int exit_code = 0;
  std::string line;
  for (std::size_t number = 1; !context.quit && lines.next(line); ++number) {
    if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
    if (line.ends_with('\r')) line.pop_back();
    const auto words = split_words(line);
    const auto done = words ? run_command(context, *words) : Outcome<void>(tl::unexpected(misuse(words.error())));
    std::fflush(stdout);
    if (done) {
      history.add(line);
      continue;
    }
    const auto code = report(done.error(), fmt::format("line {}: ", number));
    if (exit_code == 0) exit_code = code;
    if (!keep_going) break;
  }
  return exit_code;
}

}  // namespace holdfast::cli::shell
