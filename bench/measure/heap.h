// heap.h -- what a JVM really needs of its heap.
#pragma once

#include <sys/types.h>

namespace holdfast::bench {

// Bytes in use after a full collection. Asks the JVM's own jcmd. Throws std::runtime_error.
double java_heap_of(pid_t process);

}  // namespace holdfast::bench
