// shared_count.h -- making a shared count where there is none.
#pragma once

#include <cstdint>
#include <string>

#include "lock/core.h"

namespace holdfast::lock {

// Leaves it as it is if it is there. Throws Error.
void create_count(Core& core, const std::string& full_name, std::int32_t initial);

}  // namespace holdfast::lock
