// Commands that a person types.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/config/setting_value.h"
#include "cli/exit_code.h"
#include "cli/shell/commands.h"
#include "cli/shell/line_editor.h"
#include "cli/shell/modes.h"
#include "cli/shell/terminal_signals.h"
#include "cli/shell/words.h"
#include "settings/duration.h"

namespace holdfast::cli::shell {
namespace {

class Conversation {
 public:
  explicit Conversation(const SessionOptions& options)
      : session_(options, {.fd = signals_.fd(), .take = [this] { return signals_.take(); }},
                 {.event = [this](const std::string& line) { editor_.print_above(line); },
                  .connection = [this](const std::string& line) { editor_.print_above(line); }}) {}

  int run() {
    if (const auto opened = session_.open(); !opened) {
      const auto trouble = trouble_of(opened.error(), "/", false);
      fmt::print(stderr, "holdfast: {}\n", trouble.text);
      return trouble.exit_code;
    }
    fmt::print("Connected to {} in session {:#x}, which lasts {} without us. help lists the commands, Ctrl-D ends.\n",
               session_.server(), static_cast<std::uint64_t>(session_.id()), show_duration(session_.granted_timeout()));
    if (!history_.trouble().empty()) fmt::print(stderr, "The history is not kept: {}\n", history_.trouble());
    for (const auto& line : history_.lines()) editor_.remember(line);
    while (!context_.quit && !signals_.ended()) {
      std::string line;
      const auto result = editor_.read(line);
      if (result == LineEditor::Result::end) break;
      if (result == LineEditor::Result::line) obey(line);
    }
    return signals_.ended() ? kExitSignal + *signals_.ended() : 0;
  }

 private:
  void obey(const std::string& line) {
    if (trimmed(line).empty()) return;
    const auto known = history_.lines().size();
    const auto words = split_words(line);
    const auto done = words ? run_command(context_, *words) : Outcome<void>(tl::unexpected(misuse(words.error())));
    std::fflush(stdout);
    if (!done) fmt::print(stderr, "{}\n", done.error().text);
    // Ctrl-C has ended the command; it must not end the next line as well.
    (void)signals_.interrupted();
    history_.add(line);
    if (history_.lines().size() != known) editor_.remember(line);
  }

  std::string prompt() const {
    return fmt::format("{}{}> ", session_.server(), session_.ready() ? "" : " (not connected)");
  }

  Completion completion(std::string_view before) {
    return complete(before, [this](const std::string& path) -> std::optional<std::vector<std::string>> {
      if (!session_.ready()) return std::nullopt;
      auto children = context_.nodes.children(path);
      if (!children) return std::nullopt;
      return std::move(children->names);
    });
  }

  // Signals first, the session last: it tells the editor, and is closed while the others are still there.
  TerminalSignals signals_;
  LineEditor editor_{signals_,
                     {.prompt = [this] { return prompt(); },
                      .complete = [this](std::string_view before) { return completion(before); },
                      .wait = [this] { return session_.wait_readable(STDIN_FILENO); }}};
  History history_{history_file()};
  PolledSession session_;
  Context context_{.session = session_, .history = history_, .on_terminal = true};
};

}  // namespace

int run_interactive(const SessionOptions& options) { return Conversation(options).run(); }

}  // namespace holdfast::cli::shell
