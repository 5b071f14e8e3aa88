// self.h -- who we are, for the card on our tickets.
#pragma once

#include "holdfast/card.h"

namespace holdfast::lock {

// Address, host, pid, calling thread and program of this process.
Card this_process();

}  // namespace holdfast::lock
