// line_editor.h -- one line from a person at a terminal: editing, history, completion; and news that arrive while
// they type are put above the line. On libedit. One of these at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/completion.h"
#include "cli/shell/terminal_signals.h"

namespace holdfast::cli::shell {

struct EditorHooks {
  std::function<std::string()> prompt;
  std::function<Completion(std::string_view before_cursor)> complete;
  // Returns when standard input is readable; false if it was interrupted before. May print_above().
  std::function<bool()> wait;
};

class LineEditor {
 public:
  enum class Result { line, interrupted, end };

  LineEditor(TerminalSignals& signals, EditorHooks hooks);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // interrupted: Ctrl-C, or a signal that ends us. end: Ctrl-D, or the terminal is gone.
  Result read(std::string& line);
  void remember(const std::string& line);

  // Lines that are not the person's own: between two reads as they come, during one above the line that is edited.
  void print_above(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::cli::shell
