// inspector.h -- reads queues for Client::inspect(), and writes nothing.
#pragma once

#include <string>
#include <vector>

#include "holdfast/inspect.h"
#include "lock/core.h"

namespace holdfast::lock {

// The lock of that full name; without tickets if the name is not in use. Throws Error.
LockInfo inspect(Core& core, const std::string& full_name);
// All locks at or below that full name (empty: everywhere) that have tickets, by name. Throws Error.
std::vector<LockInfo> inspect_below(Core& core, const std::string& full_name);

// A lock from its queues. Pure. `locks`: of a semaphore, the queue of clients that wait for their turn.
LockInfo describe(const spi::Examination& queue, const spi::Examination* locks);

}  // namespace holdfast::lock
