// operation_name.h -- what ZooKeeper's `stat` and `cons` call an operation.
#pragma once

#include "wire/protocol.h"

namespace holdfast::server {

const char* name_of(wire::Op op);

}  // namespace holdfast::server
