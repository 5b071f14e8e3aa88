#include "store/file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::store {

namespace {
constexpr std::size_t kDigits = 16;
}

std::string join(std::string_view directory, std::string_view name) { return fmt::format("{}/{}", directory, name); }

std::string numbered(std::string_view prefix, std::uint64_t number) { return fmt::format("{}{:016x}", prefix, number); }

std::optional<std::uint64_t> number_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number, 16);
  // Exactly as numbered() writes it, so that a number has only one name.
  if (name.size() != kDigits || error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  if (numbered(prefix, number) != fmt::format("{}{}", prefix, name)) return std::nullopt;
  return number;
}

std::vector<std::uint64_t> numbers_of(const std::vector<std::string>& names, std::string_view prefix) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : names) {
    if (const auto number = number_of(name, prefix)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool is_temporary(std::string_view name) {
  if (!name.ends_with(kTemporarySuffix)) return false;
  name.remove_suffix(kTemporarySuffix.size());
  return name == kEpochFile || name == kReachedFile || number_of(name, kSegmentPrefix) ||
         number_of(name, kSnapshotPrefix);
}

}  // namespace holdfast::store
