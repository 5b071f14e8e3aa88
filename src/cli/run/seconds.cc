#include "cli/run/seconds.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

namespace holdfast::cli {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array kUnits{Unit{"", 1},   Unit{"s", 1},     Unit{"ms", 0.001},
                            Unit{"m", 60}, Unit{"h", 3'600}, Unit{"d", 86'400}};

// A year. More is a slip of the finger, and the nanoseconds of a few centuries do not fit.
constexpr double kLongest = 366 * 86'400.0;

}  // namespace

tl::expected<std::chrono::nanoseconds, std::string> parse_seconds(std::string_view text) {
  const auto refused = [] {
    return tl::unexpected(
        std::string("write seconds, such as 2 or 0.5, or a unit behind it: 250ms, 10m, 2h; at most a year"));
  };
  const auto end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string digits(text.substr(0, end));
  const auto dot = digits.find('.');
  if (digits.empty() || digits == "." || (dot != std::string::npos && digits.find('.', dot + 1) != std::string::npos)) {
    return refused();
  }
  constexpr std::size_t kMostDigits = 20;
  if (digits.size() > kMostDigits) return refused();
  for (const auto& unit : kUnits) {
    if (text.substr(end) != unit.name) continue;
    const double seconds = std::strtod(digits.c_str(), nullptr) * unit.seconds;
    if (seconds > kLongest) return refused();
    return std::chrono::nanoseconds(std::llround(seconds * 1e9));
  }
  return refused();
}

std::string show_seconds(std::chrono::nanoseconds duration) {
  auto text = fmt::format("{:.2f}", std::chrono::duration<double>(duration).count());
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + "s";
}

}  // namespace holdfast::cli
