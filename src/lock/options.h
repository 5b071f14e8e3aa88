// options.h -- refuses options that make no sense before anything is started.
#pragma once

#include "holdfast/client.h"

namespace holdfast::lock {

// Returns the options in normal form. Throws Error(invalid_argument) with a sentence that says what would be right.
ClientOptions checked(ClientOptions options);
LockOptions checked_options(LockOptions options, bool may_delay = true);

// A time that settings of a lock say, `what` it is: at most a year.
void check_hold_time(std::string_view what, std::chrono::milliseconds value);

}  // namespace holdfast::lock
