#include "cli/shell/line_editor.h"

#include <fmt/format.h>
#include <histedit.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <new>

#include "cli/shell/history.h"
#include "cli/shell/show.h"

// Ours has the same name; libedit's is a C struct.
using EditHistory = struct history;

namespace holdfast::cli::shell {
namespace {

// More do not help to choose, and push everything else off the screen.
constexpr std::size_t kMostChoices = 100;

constexpr wchar_t kCtrlD = 4;

std::size_t columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::size_t width_of(std::wstring_view text) {
  std::size_t width = 0;
  for (const wchar_t each : text) width += static_cast<std::size_t>(std::max(::wcwidth(each), 0));
  return width;
}

std::size_t width_of(const std::string& text) {
  std::wstring wide(text.size(), L'\0');
  const auto length = std::mbstowcs(wide.data(), text.c_str(), wide.size());
  return length == static_cast<std::size_t>(-1) ? text.size() : width_of(std::wstring_view(wide).substr(0, length));
}

// In columns, as ls(1) has them.
std::string in_columns(const std::vector<std::string>& choices) {
  const auto count = std::min(choices.size(), kMostChoices);
  std::vector<std::string> shown;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    shown.push_back(show_path(choices[i]));
    widest = std::max(widest, width_of(shown.back()));
  }
  const auto in_a_row = std::max<std::size_t>(columns() / (widest + 2), 1);
  const auto rows = (count + in_a_row - 1) / in_a_row;
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    if (row > 0) text += '\n';
    for (std::size_t i = row; i < count; i += rows) {
      text += shown[i];
      if (i + rows < count) text += std::string(widest + 2 - width_of(shown[i]), ' ');
    }
  }
  if (choices.size() > count) text += fmt::format("\n... and {} more", choices.size() - count);
  return text;
}

// The next character of standard input, of up to a few bytes. 1, or 0 at its end, or -1.
int read_character(wchar_t& character) {
  std::mbstate_t state{};
  for (;;) {
    char byte = 0;
    const auto got = ::read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return static_cast<int>(got);
    const auto length = std::mbrtowc(&character, &byte, 1, &state);
    if (length == static_cast<std::size_t>(-2)) continue;  // more bytes belong to it; a terminal sends them together
    if (length != static_cast<std::size_t>(-1)) return 1;
    state = {};  // no character; as if it had not been typed
  }
}

}  // namespace

struct LineEditor::State {
  State(TerminalSignals& all_signals, EditorHooks all_hooks) : signals(all_signals), hooks(std::move(all_hooks)) {}

  static State& of(EditLine* edit) {
    void* self = nullptr;
    ::el_get(edit, EL_CLIENTDATA, &self);
    return *static_cast<State*>(self);
  }
  static char* prompt(EditLine* edit) {
    auto& self = of(edit);
    self.prompt_text = self.hooks.prompt();
    return self.prompt_text.data();
  }
  static int next_character(EditLine* edit, wchar_t* character) {
    auto& self = of(edit);
    if (!self.hooks.wait()) return -1;
    const int got = read_character(*character);
    // Ctrl-D that was pressed while the terminal was not ours has become a zero byte.
    const auto* line = ::el_wline(edit);
    if (got == 1 && *character == L'\0' && line->buffer == line->lastchar) *character = kCtrlD;
    return got;
  }
  static unsigned char tab(EditLine* edit, int) {
    auto& self = of(edit);
    const auto* line = ::el_line(edit);
    const auto completion = self.hooks.complete({line->buffer, static_cast<std::size_t>(line->cursor - line->buffer)});
    if (!completion.choices.empty()) {
      self.print_above(in_columns(completion.choices));
      return CC_NORM;
    }
    if (completion.typed.empty() || ::el_insertstr(edit, completion.typed.c_str()) != 0) return CC_ERROR;
    return CC_REFRESH;
  }

  // The row of the edited text in which the cursor is.
  std::size_t cursor_row() const {
    const auto* line = ::el_wline(edit);
    const std::wstring_view before(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
    return (width_of(prompt_text) + width_of(before)) / columns();
  }

  void print_above(std::string_view text) {
    if (!editing) {
      fmt::print("{}\n", text);
      std::fflush(stdout);
      return;
    }
    const char* terminal = std::getenv("TERM");
    if (terminal == nullptr || std::string_view(terminal) == "dumb") {
      fmt::print("\n");
    } else {
      const auto row = cursor_row();
      fmt::print("\r{}\x1b[J", row > 0 ? fmt::format("\x1b[{}A", row) : "");
    }
    fmt::print("{}\n", text);
    std::fflush(stdout);
    ::el_set(edit, EL_REFRESH);
  }

  // Of the terminal as libedit leaves it when it does not edit.
  void echo_between_lines(bool on) { ::el_set(edit, EL_SETTY, "-x", on ? "+echo" : "-echo", nullptr); }

  void bind_keys() {
    ::el_set(edit, EL_ADDFN, "holdfast-complete", "Complete a command, an option or a path", &State::tab);
    // What terminals send for them; libedit knows the plain arrows.
    static constexpr const char* kKeys[][2] = {
        {"^I", "holdfast-complete"},  {"^R", "em-inc-search-prev"}, {"\\e[3~", "ed-delete-next-char"},
        {"\\e[1~", "ed-move-to-beg"}, {"\\e[4~", "ed-move-to-end"}, {"\\e[H", "ed-move-to-beg"},
        {"\\e[F", "ed-move-to-end"},  {"\\e[1;5D", "ed-prev-word"}, {"\\e[1;5C", "em-next-word"}};
    for (const auto& [key, function] : kKeys) ::el_set(edit, EL_BIND, key, function, nullptr);
  }

  TerminalSignals& signals;
  EditorHooks hooks;
  EditLine* edit = nullptr;
  EditHistory* history = nullptr;
  std::string prompt_text;
  bool editing = false;
};

LineEditor::LineEditor(TerminalSignals& signals, EditorHooks hooks)
    : state_(std::make_unique<State>(signals, std::move(hooks))) {
  auto& state = *state_;
  // Paths may have any letter, so without a locale of one's own it is UTF-8 all the same.
  if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX == 1) (void)std::setlocale(LC_CTYPE, "C.UTF-8");
  state.edit = ::el_init("holdfast", stdin, stdout, stderr);
  state.history = ::history_init();
  if (state.edit == nullptr || state.history == nullptr) throw std::bad_alloc();
  HistEvent event{};
  ::history(state.history, &event, H_SETSIZE, static_cast<int>(History::kMostLines));
  ::el_set(state.edit, EL_CLIENTDATA, &state);
  ::el_set(state.edit, EL_PROMPT, &State::prompt);
  ::el_set(state.edit, EL_EDITOR, "emacs");
  ::el_set(state.edit, EL_SIGNAL, 0);  // see TerminalSignals
  ::el_set(state.edit, EL_HIST, ::history, state.history);
  ::el_set(state.edit, EL_GETCFN, &State::next_character);
  state.bind_keys();
  (void)::el_source(state.edit, nullptr);  // ~/.editrc, if there is one
  state.echo_between_lines(false);
  signals.before_stop = [&state] {
    state.echo_between_lines(true);
    ::el_set(state.edit, EL_PREP_TERM, 0);
  };
  signals.after_stop = [&state] {
    ::el_set(state.edit, EL_PREP_TERM, 1);
    state.echo_between_lines(false);
    if (!state.editing) return;
    ::el_resize(state.edit);
    ::el_set(state.edit, EL_REFRESH);
  };
  signals.resized = [&state] { ::el_resize(state.edit); };
}

LineEditor::~LineEditor() {
  state_->signals.before_stop = state_->signals.after_stop = state_->signals.resized = [] {};
  ::history_end(state_->history);
  ::el_end(state_->edit);
}

LineEditor::Result LineEditor::read(std::string& line) {
  auto& state = *state_;
  state.editing = true;
  int count = 0;
  // libedit lets go of the terminal between two lines, and takes it back only after it has drawn the prompt. What is
  // typed meanwhile would be echoed into it, so we do not let go, and for the moment in which libedit does, echo is off
  // (echo_between_lines), until the shell ends or is stopped.
  ::el_set(state.edit, EL_PREP_TERM, 1);
  const char* text = ::el_gets(state.edit, &count);
  ::el_set(state.edit, EL_PREP_TERM, 1);
  state.editing = false;
  if (text == nullptr || count <= 0) {
    const bool interrupted = state.signals.interrupted() || state.signals.ended();
    fmt::print("{}\n", interrupted && !state.signals.ended() ? "^C" : "");
    std::fflush(stdout);
    return interrupted ? Result::interrupted : Result::end;
  }
  line.assign(text, static_cast<std::size_t>(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return Result::line;
}

void LineEditor::remember(const std::string& line) {
  HistEvent event{};
  ::history(state_->history, &event, H_ENTER, line.c_str());
}

void LineEditor::print_above(std::string_view text) { state_->print_above(text); }

}  // namespace holdfast::cli::shell
