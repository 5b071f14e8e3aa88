#include "base/process.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace holdfast::base {
namespace {

using Number = std::atomic<std::uint64_t>;
static_assert(Number::is_always_lock_free);

// The number of this process; 0 in a child that has not asked yet. The kernel wipes the page in every child, however it was made.
// Before Linux 4.14 it cannot, and the C library does it in children made by fork().
Number& number() noexcept {
  static Number* const where = [] {
    const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const page = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && ::madvise(page, size, MADV_WIPEONFORK) == 0) return new (page) Number(0);
    static Number fallback = 0;
    ::pthread_atfork(nullptr, nullptr, [] { fallback = 0; });
    return &fallback;
  }();
  return *where;
}

}  // namespace

std::uint64_t this_process() noexcept {
  auto& mine = number();
  auto known = mine.load(std::memory_order_acquire);
  if (known != 0) return known;
  // Inherited, so that every child gets a number that none of its ancestors had.
  static Number last = 0;
  const auto next = ++last;
  return mine.compare_exchange_strong(known, next) ? next : known;
}

void keep_for_ever(const void* object) noexcept {
  struct Kept {
    const void* object;
    Kept* next;
  };
  static std::atomic<Kept*> all = nullptr;
  auto* const kept = new (std::nothrow) Kept{object, all.load()};
  if (kept == nullptr) return;
  while (!all.compare_exchange_weak(kept->next, kept)) {
  }
}

}  // namespace holdfast::base
