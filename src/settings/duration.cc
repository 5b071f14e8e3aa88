#include "settings/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace holdfast::settings {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
};
// The largest first, which is the order in which show_duration() tries them.
constexpr std::array kUnits{Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000},
                            Unit{"ms", 1}};

// More is a slip of the finger, and the nanoseconds of a few centuries do not fit.
constexpr auto kYear = std::chrono::hours(366 * 24);

// Digits with at most one dot: "2", "0.5", ".5". As many as a double and a year can mean.
bool is_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 20;
  return text.find_first_of("0123456789") != std::string_view::npos && text.size() <= kMostDigits &&
         text.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::count(text.begin(), text.end(), '.') <= 1;
}

// At most a year.
std::optional<nanoseconds> parse(std::string_view text) {
  const auto end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto number = text.substr(0, end);
  const auto name = trimmed(text.substr(end));
  const auto* unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& each) { return each.name == name; });
  if (!is_number(number) || unit == kUnits.end()) return std::nullopt;
  const double in_milliseconds =
      std::strtod(std::string(number).c_str(), nullptr) * static_cast<double>(unit->milliseconds);
  if (in_milliseconds > static_cast<double>(milliseconds(kYear).count())) return std::nullopt;
  constexpr double kNanoseconds = 1e6;
  return nanoseconds(std::llround(in_milliseconds * kNanoseconds));
}

}  // namespace

std::string with_unit(std::string_view text, std::string_view unit) {
  std::string with(text);
  return is_number(text) ? with.append(unit) : with;
}

Parsed<milliseconds> parse_duration(std::string_view text, Range<milliseconds> range) {
  if (is_number(text)) {
    return tl::unexpected(
        fmt::format("a number without a unit could be seconds or milliseconds; write {}s or {}ms", text, text));
  }
  const auto parsed = parse(text);
  if (!parsed || *parsed < range.least || *parsed > range.most) {
    return tl::unexpected(fmt::format("write a time from {} to {}, such as 2s or 500ms", show_duration(range.least),
                                      show_duration(range.most)));
  }
  return std::chrono::ceil<milliseconds>(*parsed);
}

std::string show_duration(milliseconds duration) {
  const auto count = std::max<std::int64_t>(duration.count(), 0);
  for (const auto& unit : kUnits) {
    if (count >= unit.milliseconds && count % unit.milliseconds == 0) {
      return fmt::format("{}{}", count / unit.milliseconds, unit.name);
    }
  }
  return "0s";
}

Parsed<nanoseconds> parse_seconds(std::string_view text) {
  const auto parsed = parse(with_unit(text));
  if (!parsed) {
    return tl::unexpected(
        std::string("write seconds, such as 2 or 0.5, or a number with its unit: 250ms, 10m, 2h; at most a year"));
  }
  return *parsed;
}

std::string show_seconds(nanoseconds duration) {
  auto text = fmt::format("{:.2f}", std::chrono::duration<double>(duration).count());
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + "s";
}

}  // namespace holdfast::settings
