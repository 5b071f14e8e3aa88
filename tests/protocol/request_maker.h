// request_maker.h -- one random request: right, wrong, or mutilated.
#pragma once

#include "dice.h"
#include "script.h"

namespace holdfast::testing {

// Any operation a client can send. The connection may be closed for it.
Call any_call(Dice& dice);

// One that may stand anywhere in a pipeline: it is answered in its turn, leaves the connection open, and what it does
// is known to ZooKeeper before the next is looked at. (Not so setACL: until it is applied, ZooKeeper judges what
// follows by the old list. Nor flags that contradict the opcode, nor a multi that ends in a marshalling error.)
Call pipelined_call(Dice& dice);

// A plain create of the root.
Call create_root();

}  // namespace holdfast::testing
