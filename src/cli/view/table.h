// table.h -- rows under titles, their columns aligned.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

struct Column {
  std::string title;
  std::size_t least = 0;  // may be cut to this width, on a terminal that is narrow; 0: never
  bool right = false;     // numbers
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns, printable but for colours (colour.h), without line ends.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }

  // Of the widest line, if the columns that may be cut are as wide as they need, but no wider than this.
  std::size_t width(std::size_t most) const;

  // The titles and then the rows, no blanks at their ends. With a width no line is wider: the widest columns that may be cut are,
  // and if that is not enough, the line is.
  std::vector<std::string> lines(std::optional<std::size_t> width = std::nullopt) const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace holdfast::cli
