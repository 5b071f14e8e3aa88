#include "settings/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <utility>

namespace holdfast::settings {
namespace {

// How names are compared.
std::string folded(std::string_view name) {
  std::string plain;
  for (const unsigned char c : name) {
    if (std::isalnum(c) != 0) plain += static_cast<char>(std::tolower(c));
  }
  return plain;
}

// How many characters must be changed, added, taken away or swapped with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // of a without its end
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> above = row;
  std::vector<std::size_t> above_that = row;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    above_that = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], above_that[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view wanted, const std::vector<std::string_view>& names) {
  constexpr std::size_t kLongest = 100;    // keeps distance() cheap, whatever was written
  constexpr std::size_t kBeginsAlike = 1;  // data_dir and data: as near as one wrong letter
  const auto plain = folded(wanted.substr(0, kLongest));
  std::optional<std::string_view> found;
  auto least = std::max<std::size_t>(plain.size() / 3, 1) + 1;
  for (const auto each : names) {
    const auto name = folded(each);
    const auto last_word = folded(each.substr(each.rfind('.') + 1));
    auto far = std::min(distance(plain, name), distance(plain, last_word));
    if (!plain.empty() && (plain.starts_with(name) || name.starts_with(plain))) far = std::min(far, kBeginsAlike);
    if (far < least) {
      least = far;
      found = each;
    }
  }
  return found;
}

}  // namespace holdfast::settings
