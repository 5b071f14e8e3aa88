#include "settings/file_position.h"

#include <fmt/format.h>

namespace holdfast::settings {

std::string FilePosition::text() const {
  if (file.empty()) return {};
  return column == 0 ? fmt::format("{}:{}", file, line) : fmt::format("{}:{}:{}", file, line, column);
}

}  // namespace holdfast::settings
