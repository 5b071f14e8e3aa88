// java_properties.h -- the syntax of a zoo.cfg: what java.util.Properties reads.
//
//   # a comment        ! another one
//   key=value          key: value          key value          \u0020 and \  are blanks
//
// A backslash at the end of a line: it goes on with the next line, after its blanks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace holdfast::cli {

struct Property {
  std::string key;
  std::string value;
  std::size_t line = 0;  // where it begins, counted from 1
};

struct PropertyError {
  std::size_t line = 0;
  std::string what;
};

// In the order of the text, with keys that are there twice. Text is kept as it is (UTF-8, or what it was).
tl::expected<std::vector<Property>, PropertyError> parse_properties(std::string_view text);

}  // namespace holdfast::cli
