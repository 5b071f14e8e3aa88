#include "measure/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace holdfast::bench {
namespace {

// From here on the part behind the point is noise.
constexpr double kWholeFrom = 100;

void print_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const auto& cell : cells) line += fmt::format(" {} |", cell);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace

double percentile(std::vector<double>& values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto place = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(place, 1, values.size()) - 1];
}

double median(std::vector<double> values) { return percentile(values, 0.5); }

std::string readable(double value) {
  if (value < kWholeFrom) return fmt::format("{:.3g}", value);
  std::string digits = fmt::format("{:.0f}", value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

Ratio ratio_of(const Duel& duel) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(duel.ours.size(), duel.theirs.size()); ++i) {
    ratios.push_back(duel.ours[i] / duel.theirs[i]);
  }
  return {median(ratios), percentile(ratios, 0), percentile(ratios, 1)};
}

Table::Table(const std::vector<std::string>& heads) {
  print_row(heads);
  print_row(std::vector<std::string>(heads.size(), "---"));
}

void Table::row(const std::vector<std::string>& cells) { print_row(cells); }

std::vector<std::string> duel_heads() { return {"work", "ours", "theirs", "ratio (rounds)", "goal"}; }

std::vector<std::string> duel_row(const std::string& work, const Duel& duel, const std::string& goal) {
  const Ratio ratio = ratio_of(duel);
  return {work, readable(median(duel.ours)), readable(median(duel.theirs)),
          fmt::format("{:.2f} ({:.2f} to {:.2f})", ratio.middle, ratio.lowest, ratio.highest), goal};
}

}  // namespace holdfast::bench
