// takes_memory.h -- which requests make the server keep more than before.
#pragma once

#include "wire/request.h"

namespace holdfast::server {

// What it asks for takes memory that stays: nodes, or watches.
bool takes_memory(const wire::Request& request);

}  // namespace holdfast::server
