// moment.h -- a point in time, as the engine is told.
#pragma once

#include <chrono>

namespace holdfast::engine {

using Moment = std::chrono::nanoseconds;  // of a clock that never goes back and never jumps; the caller's

}  // namespace holdfast::engine
