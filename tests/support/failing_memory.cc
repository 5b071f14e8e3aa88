#include "support/failing_memory.h"

#include <cstdlib>
#include <limits>
#include <new>

namespace holdfast::testing {
namespace {

constexpr auto kNever = std::numeric_limits<std::size_t>::max();

thread_local bool counting = false;
thread_local std::size_t count = 0;
thread_local std::size_t fails_after = kNever;

void* allocate(std::size_t size, std::size_t alignment) {
  if (counting && count++ == fails_after) throw std::bad_alloc();
  void* const memory = alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__
                           ? std::malloc(size)
                           : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

FailingMemory::FailingMemory(std::size_t after) {
  count = 0;
  fails_after = after;
  counting = true;
}

FailingMemory::FailingMemory() : FailingMemory(kNever) {}

FailingMemory::~FailingMemory() { counting = false; }

std::size_t FailingMemory::allocations() const { return count; }

}  // namespace holdfast::testing

using holdfast::testing::allocate;

void* operator new(std::size_t size) { return allocate(size, 0); }
void* operator new[](std::size_t size) { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
