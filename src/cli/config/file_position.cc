#include "cli/config/file_position.h"

#include <fmt/format.h>

namespace holdfast::cli {

std::string FilePosition::text() const {
  if (file.empty()) return {};
  return column == 0 ? fmt::format("{}:{}", file, line) : fmt::format("{}:{}:{}", file, line, column);
}

}  // namespace holdfast::cli
