// moment.h -- a point in time, as the engine's caller passes it in.
#pragma once

#include <chrono>

namespace holdfast::engine {

using Moment = std::chrono::nanoseconds;  // on the caller's clock, which never goes back and never jumps

}  // namespace holdfast::engine
