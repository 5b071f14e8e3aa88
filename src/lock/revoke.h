// revoke.h -- asking for a name back, and taking it.
#pragma once

#include <string>

#include "holdfast/client.h"
#include "lock/core.h"

namespace holdfast::lock {

// Client::revoke(). Throws Error.
Revocation revoke(Core& core, const std::string& queue, Clock::time_point deadline, bool force);

}  // namespace holdfast::lock
