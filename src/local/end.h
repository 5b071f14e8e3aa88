// end.h -- tells an engine to end, and waits until its process has ended.
#pragma once

#include <chrono>

#include "holdfast/error.h"
#include "local/announcement.h"

namespace holdfast::local {

struct EndFailure {
  Errc code;
  std::string sentence;
};

// The engine answers what it has received; nodes and sessions stay in files. False if it had ended before.
tl::expected<bool, EndFailure> end_engine(const FoundEngine& engine, std::chrono::steady_clock::time_point deadline);

}  // namespace holdfast::local
