// revoke.h -- asking for a name back, and taking it.
#pragma once

#include <string>

#include "holdfast/client.h"
#include "lock/core.h"

namespace holdfast::lock {

// Those that hold a queue: the first, and all that are admitted with it.
spi::Listing holders_of(const spi::Listing& queue);

// Client::revoke(). Throws Error.
Revocation revoke(Core& core, const std::string& queue, Clock::time_point deadline, bool force);

}  // namespace holdfast::lock
