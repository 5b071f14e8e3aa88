#include "resp/command.h"

#include <fmt/format.h>

#include <iterator>

namespace holdfast::resp {

std::string encode(const Command& command) {
  std::string bytes;
  fmt::format_to(std::back_inserter(bytes), "*{}\r\n", command.size());
  for (const auto& word : command) fmt::format_to(std::back_inserter(bytes), "${}\r\n{}\r\n", word.size(), word);
  return bytes;
}

}  // namespace holdfast::resp
