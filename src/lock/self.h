// self.h -- what a card says about this process.
#pragma once

#include <cstdint>

#include "holdfast/card.h"

namespace holdfast::lock {

// Address, host, pid, calling thread and program of this process.
Card this_process();
// The calling thread's id, as in the card.
std::int64_t this_thread_id();

}  // namespace holdfast::lock
