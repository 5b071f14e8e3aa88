// without_assertions.h -- only to measure what they cost (bench/assertions.py): a program without them is not one to run.
#pragma once

#include "../src/base/assert.h"

#undef HOLDFAST_ASSERT
#define HOLDFAST_ASSERT(condition, ...) static_cast<void>(sizeof(static_cast<bool>(condition)))
