#include "base/memory_reserve.h"

#include <malloc.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace holdfast::base {
namespace {

std::atomic<std::size_t> size = 0;  // 0: none is kept
std::atomic<void*> reserve = nullptr;

void give_up_reserve() {
  void* const there = reserve.exchange(nullptr);
  if (there == nullptr) throw std::bad_alloc();
  std::free(there);
}

}  // namespace

void keep_memory_reserve(std::size_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  // Every further arena takes 64 MiB of the address space, whatever is in it.
  ::mallopt(M_ARENA_MAX, 1);
  size = bytes;
  if (refill_memory_reserve()) std::set_new_handler(give_up_reserve);
}

bool memory_reserve_is_spent() noexcept { return size.load() != 0 && reserve.load() == nullptr; }

bool refill_memory_reserve() noexcept {
  if (!memory_reserve_is_spent()) return true;
  void* const block = std::malloc(size.load());  // never touched, so it takes addresses and no pages
  void* expected = nullptr;
  if (block != nullptr && !reserve.compare_exchange_strong(expected, block)) std::free(block);
  return block != nullptr;
}

}  // namespace holdfast::base
