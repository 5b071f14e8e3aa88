// failure.h -- why the store cannot go on: a sentence for the operator, and where to look.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

namespace holdfast::store {

struct Failure {
  std::string file;                     // a file or a directory
  std::optional<std::uint64_t> offset;  // of the bytes in the file that are wrong
  std::string message;                  // a whole sentence, with file and offset in it, and what to do if that is known
  std::error_code error;                // the system's error; none if the bytes themselves are wrong
};

// A group of records that was not appended.
struct AppendFailure {
  enum class Kind {
    refused,  // it is not in the log and never will be
    unknown,  // cannot be told until the store is opened again or a later append() succeeds, which removes it first
  };
  Kind kind;
  std::error_code error;
  std::string message;
};

}  // namespace holdfast::store
