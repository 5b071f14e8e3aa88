// failing_memory.h -- memory that ends when a test says so.
//
// failing_memory.cc replaces operator new for the whole program: only for test programs of their own.
#pragma once

#include <cstddef>

namespace holdfast::testing {

// From construction to destruction, of what this thread asks for.
class FailingMemory {
 public:
  // So many allocations succeed, the next one throws std::bad_alloc, and those after it succeed again: as if memory had been freed
  // meanwhile.
  explicit FailingMemory(std::size_t after);
  // None fails, all are counted.
  FailingMemory();
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  std::size_t allocations() const;
};

}  // namespace holdfast::testing
