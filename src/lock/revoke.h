// revoke.h -- asks the holder of a name to give it back, and removes its ticket if need be.
#pragma once

#include <string>

#include "holdfast/client.h"
#include "lock/core.h"

namespace holdfast::lock {

// Client::revoke(). Throws Error.
Revocation revoke(Core& core, const std::string& queue, Clock::time_point deadline, bool force);

}  // namespace holdfast::lock
