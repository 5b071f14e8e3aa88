// options.h -- refuses options that make no sense before anything is started.
#pragma once

#include "holdfast/client.h"

namespace holdfast::lock {

// Returns the options in normal form. Throws Error(invalid_argument) with a sentence that says what would be right.
ClientOptions checked(ClientOptions options);

}  // namespace holdfast::lock
