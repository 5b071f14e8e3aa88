#include "cli/view/table.h"

#include <algorithm>
#include <numeric>

#include "cli/view/columns.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kGap = 2;  // blanks between columns

std::size_t total_of(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

// Takes from the widest first, so that the columns which are cut end up equally wide.
void narrow(std::vector<std::size_t>& widths, const std::vector<Column>& columns, std::size_t room) {
  std::size_t total = total_of(widths);
  while (total > room) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool may = columns[i].least > 0 && widths[i] > columns[i].least;
      if (may && (widest == nullptr || widths[i] > *widest)) widest = &widths[i];
    }
    if (widest == nullptr) return;
    --*widest;
    --total;
  }
}

}  // namespace

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const auto& column : columns_) widths.push_back(width_of(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  return widths;
}

std::size_t Table::width(std::size_t most) const {
  auto widths = this->widths();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (columns_[i].least > 0) widths[i] = std::min(widths[i], std::max(most, columns_[i].least));
  }
  return total_of(widths);
}

std::vector<std::string> Table::lines(std::optional<std::size_t> width) const {
  std::vector<std::vector<std::string>> all;
  all.emplace_back();
  for (const auto& column : columns_) all.front().push_back(column.title);
  all.insert(all.end(), rows_.begin(), rows_.end());

  auto widths = this->widths();
  if (width) narrow(widths, columns_, *width);

  std::vector<std::string> lines;
  for (const auto& row : all) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const auto cell = fit(row[i], widths[i]);
      const std::string padding(widths[i] - width_of(cell), ' ');
      if (i > 0) line.append(kGap, ' ');
      line += columns_[i].right ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(width ? fit(line, *width) : line);
  }
  return lines;
}

}  // namespace holdfast::cli
