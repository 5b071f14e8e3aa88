// file_position.h -- where in which file a text was found.
#pragma once

#include <cstddef>
#include <string>

namespace holdfast::settings {

struct FilePosition {
  std::string file{};      // empty: the command line
  std::size_t line = 0;    // from 1
  std::size_t column = 0;  // from 1; 0: not known

  // "FILE:3:7", or nothing for the command line
  std::string text() const;
  // "FILE:3:7: "
  std::string prefix() const { return file.empty() ? std::string() : text() + ": "; }
};

}  // namespace holdfast::settings
