// inspector.h -- reads queues as they are. No write.
#pragma once

#include <string>
#include <vector>

#include "holdfast/inspect.h"
#include "lock/core.h"

namespace holdfast::lock {

// The lock of that full name; without tickets if there is none. Throws Error.
LockInfo inspect(Core& core, const std::string& full_name);
// All locks at or below that full name (empty: everywhere) that have tickets, by name. Throws Error.
std::vector<LockInfo> inspect_below(Core& core, const std::string& full_name);

// What the parts of a lock say. Pure. `locks`: of a semaphore, those who wait for their turn.
LockInfo describe(const spi::Examination& queue, const spi::Examination* locks);

}  // namespace holdfast::lock
