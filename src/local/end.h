// end.h -- telling an engine to end, and waiting until its process has.
#pragma once

#include <chrono>

#include "holdfast/error.h"
#include "local/announcement.h"

namespace holdfast::local {

struct EndFailure {
  Errc code;
  std::string sentence;
};

// In good order: what it has received is answered, nodes and sessions stay in files. False if it had ended before.
tl::expected<bool, EndFailure> end_engine(const FoundEngine& engine, std::chrono::steady_clock::time_point deadline);

}  // namespace holdfast::local
