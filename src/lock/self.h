// self.h -- what a card says about this process.
#pragma once

#include "holdfast/card.h"

namespace holdfast::lock {

// Address, host, pid, calling thread and program of this process.
Card this_process();

}  // namespace holdfast::lock
