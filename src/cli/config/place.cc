#include "cli/config/place.h"

#include <fmt/format.h>

namespace holdfast::cli {

std::string Place::text() const {
  if (file.empty()) return {};
  return column == 0 ? fmt::format("{}:{}", file, line) : fmt::format("{}:{}:{}", file, line, column);
}

}  // namespace holdfast::cli
