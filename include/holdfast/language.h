// language.h -- stops a compiler that is not set to C++20 with one sentence, before it reports a hundred errors in what comes next.
#pragma once

#if __cplusplus < 202002L
#error "Holdfast needs C++20: compile with -std=c++20 or newer"
#include "holdfast/needs/c++20"  // There is no such file: unlike #error, this ends the compilation.
#endif
