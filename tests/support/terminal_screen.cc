#include "terminal_screen.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace holdfast::testing {
namespace {

std::size_t length_of_code_point(unsigned char first) {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

}  // namespace

TerminalScreen::TerminalScreen(std::size_t columns, std::size_t rows)
    : columns_(columns), cells_(rows, std::vector<std::string>(columns, " ")) {}

std::string TerminalScreen::feed(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    switch (state_) {
      case State::escape:
        parameters_.clear();
        state_ = c == '[' ? State::sequence : (c == ']' || c == 'P') ? State::string : State::text;
        continue;
      case State::sequence:
        if (c >= '@' && c <= '~') {
          finish_sequence(c);
          state_ = State::text;
        } else {
          parameters_ += c;
        }
        continue;
      case State::string:  // a window title, say; ends with BEL or ESC backslash
        if (c == '\a') state_ = State::text;
        if (c == '\x1b') state_ = State::escape;
        continue;
      case State::text: break;
    }
    if (std::exchange(carriage_return_, false) && c != '\n') text += '\r';
    if (c == '\x1b') {
      state_ = State::escape;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      if (c == '\r') carriage_return_ = true;
      if (c == '\n' || c == '\t') text += c;
      control(c);
    } else {
      text += c;
      partial_ += c;
      if (partial_.size() >= length_of_code_point(static_cast<unsigned char>(partial_.front()))) {
        put(std::exchange(partial_, {}));
      }
    }
  }
  return text;
}

void TerminalScreen::put(std::string glyph) {
  if (column_ >= columns_) {
    column_ = 0;
    line_feed();
  }
  cells_[row_][column_++] = std::move(glyph);
}

void TerminalScreen::control(char c) {
  if (c == '\r') column_ = 0;
  if (c == '\n') line_feed();
  if (c == '\b' && column_ > 0) --column_;
  if (c == '\t') column_ = std::min((column_ / 8 + 1) * 8, columns_ - 1);
}

void TerminalScreen::line_feed() {
  if (++row_ < cells_.size()) return;
  row_ = cells_.size() - 1;
  cells_.erase(cells_.begin());
  cells_.emplace_back(columns_, " ");
}

void TerminalScreen::erase_in_row(std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < std::min(to, columns_); ++i) cells_[row_][i] = " ";
}

void TerminalScreen::finish_sequence(char command) {
  const auto semicolon = parameters_.find(';');
  const auto number = [](const std::string& digits) {
    return static_cast<std::size_t>(std::strtoul(digits.c_str(), nullptr, 10));
  };
  const std::size_t first = number(parameters_);
  const std::size_t second = semicolon == std::string::npos ? 0 : number(parameters_.substr(semicolon + 1));
  const std::size_t count = std::max<std::size_t>(first, 1);
  const std::size_t last_row = cells_.size() - 1;
  switch (command) {
    case 'A': row_ -= std::min(row_, count); break;
    case 'B': row_ = std::min(row_ + count, last_row); break;
    case 'C': column_ = std::min(column_ + count, columns_ - 1); break;
    case 'D': column_ -= std::min(column_, count); break;
    case 'G': column_ = std::min(count, columns_) - 1; break;
    case 'H':
    case 'f':
      row_ = std::min(count - 1, last_row);
      column_ = std::min(std::max<std::size_t>(second, 1), columns_) - 1;
      break;
    case 'K': erase_in_row(first == 0 ? column_ : 0, first == 1 ? column_ + 1 : columns_); break;
    case 'J': {
      erase_in_row(first == 0 ? column_ : 0, first == 1 ? column_ + 1 : columns_);
      const auto blank = std::vector<std::string>(columns_, " ");
      if (first != 0) std::fill(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(row_), blank);
      if (first != 1) std::fill(cells_.begin() + static_cast<std::ptrdiff_t>(row_) + 1, cells_.end(), blank);
      break;
    }
    default: break;
  }
}

std::string TerminalScreen::show(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells) text += cell;
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<std::string> TerminalScreen::rows() const {
  std::vector<std::string> shown;
  for (const auto& cells : cells_) shown.push_back(show(cells));
  while (!shown.empty() && shown.back().empty()) shown.pop_back();
  return shown;
}

std::string TerminalScreen::row() const { return show(cells_[row_]); }

}  // namespace holdfast::testing
