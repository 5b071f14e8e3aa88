// multi_maker.h -- several operations in one request.
#pragma once

#include "request_parts.h"

namespace holdfast::testing {

// With CreateKind::any also operations that do not belong there.
Call multi(Dice& dice, CreateKind kind);
Call multi_read(Dice& dice);

}  // namespace holdfast::testing
