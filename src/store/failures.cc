#include "store/failures.h"

#include <fmt/format.h>

namespace holdfast::store {

Failure cannot(std::string_view verb, const std::string& file, std::error_code error) {
  return {file, std::nullopt, fmt::format("{}: cannot be {}: {}", file, verb, error.message()), error};
}

Failure damaged(const std::string& file, std::uint64_t offset, std::string_view what) {
  return {file, offset, fmt::format("{}: at offset {} {}", file, offset, what), {}};
}

Failure unfit(const std::string& file, std::string_view what) {
  return {file, std::nullopt, fmt::format("{}: {}", file, what), {}};
}

}  // namespace holdfast::store
