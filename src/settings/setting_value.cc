#include "settings/setting_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

#include "base/text.h"

namespace holdfast::settings {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t worth;
};

// The largest first, which is the order in which show_ tries them.
constexpr std::array kBinaryUnits{Unit{"GiB", 1U << 30}, Unit{"MiB", 1U << 20}, Unit{"KiB", 1U << 10}, Unit{"B", 1}};
constexpr std::array kDecimalUnits{Unit{"GB", 1'000'000'000}, Unit{"MB", 1'000'000}, Unit{"kB", 1'000}};

std::optional<std::uint64_t> parse_digits(std::string_view text) {
  std::uint64_t number = 0;
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

template <typename Units>
std::optional<std::uint64_t> parse_with_unit(std::string_view text, const Units& units) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_digits(text.substr(0, digits));
  const auto name = trimmed(text.substr(digits));
  for (const auto& unit : units) {
    if (!number || unit.name != name) continue;
    if (*number > std::numeric_limits<std::uint64_t>::max() / unit.worth) return std::nullopt;
    return *number * unit.worth;
  }
  return std::nullopt;
}

template <typename Units>
std::string show_with_unit(std::uint64_t number, const Units& units) {
  for (const auto& unit : units) {
    if (number >= unit.worth && number % unit.worth == 0) return fmt::format("{}{}", number / unit.worth, unit.name);
  }
  return fmt::format("{}{}", number, units.back().name);
}

}  // namespace

Parsed<std::size_t> parse_size(std::string_view text, Range<std::size_t> range) {
  auto number = parse_digits(text);
  if (!number) number = parse_with_unit(text, kBinaryUnits);
  if (!number) number = parse_with_unit(text, kDecimalUnits);
  if (!number || *number < range.least || *number > range.most) {
    return tl::unexpected(fmt::format("write a size from {} to {}, such as 1MiB or 64KiB; a plain number is bytes",
                                      show_size(range.least), show_size(range.most)));
  }
  return *number;
}

std::string show_size(std::size_t size) { return show_with_unit(size, kBinaryUnits); }

Parsed<std::size_t> parse_count(std::string_view text, Range<std::size_t> range) {
  const auto number = parse_digits(text);
  if (!number || *number < range.least || *number > range.most) {
    return tl::unexpected(fmt::format("write a whole number from {} to {}", range.least, range.most));
  }
  return *number;
}

Parsed<bool> parse_flag(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "true" || lower == "yes" || lower == "on") return true;
  if (lower == "false" || lower == "no" || lower == "off") return false;
  return tl::unexpected(std::string("write true or false"));
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;  // a line of a terminal
  return '"' + base::printable(text, kLongest) + '"';
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace holdfast::settings
