// options.h -- refuses options that make no sense before anything is started.
#pragma once

#include "holdfast/client.h"

namespace holdfast::lock {

// Throws Error(invalid_argument) with a sentence that says what would be right. Returns them in normal form.
ClientOptions checked(ClientOptions options);

}  // namespace holdfast::lock
