// terminal_screen.h -- what a person would see: the bytes that a program sends to a terminal, as rows of text.
//
// Understands what programs of ours and a shell's line editor send: moving the cursor, erasing, and colours, which it
// drops. What it does not understand leaves no trace. Every code point is one column wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::testing {

class TerminalScreen {
 public:
  TerminalScreen(std::size_t columns, std::size_t rows);

  // Returns the text in it, without escape sequences; "\r\n" is "\n".
  std::string feed(std::string_view bytes);

  // From top to bottom, without blanks at their ends; no empty rows at the bottom.
  std::vector<std::string> rows() const;
  // The row that the cursor is in.
  std::string row() const;

 private:
  enum class State { text, escape, sequence, string };

  void put(std::string glyph);
  void control(char c);
  void finish_sequence(char command);
  void line_feed();
  void erase_in_row(std::size_t from, std::size_t to);
  static std::string show(const std::vector<std::string>& cells);

  std::size_t columns_;
  std::vector<std::vector<std::string>> cells_;  // [row][column], UTF-8
  std::size_t row_ = 0;
  std::size_t column_ = 0;  // may be columns_: the next glyph starts a new row
  State state_ = State::text;
  std::string parameters_;
  std::string partial_;  // of a code point
  bool carriage_return_ = false;
};

}  // namespace holdfast::testing
