#include "base/memory_reserve.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>

namespace holdfast::base {
namespace {

// Small, so that the reserve can be filled again from memory that many small nodes left behind: the heap does not shrink in its middle.
constexpr std::size_t kBlock = std::size_t{32} << 10;
// How many are given up when an allocation fails. More than one, because a failure costs two system calls.
constexpr std::size_t kBlocksAtOnce = 4;
// A block longer than this is returned to the system when it is freed, and can be allocated again in any size. Set explicitly, because the
// allocator otherwise raises it to the size of the block that was freed last.
constexpr int kMappedAlone = 128 << 10;

struct Block {
  Block* next;
};

std::mutex mutex;
Block* blocks = nullptr;            // guarded by mutex
std::atomic<std::size_t> size = 0;  // 0: none is kept
std::atomic<std::size_t> held = 0;  // changed under mutex

thread_local std::size_t spared = 0;

void give_up_some() {
  const std::lock_guard lock(mutex);
  if (held.load() <= spared || blocks == nullptr) throw std::bad_alloc();
  for (std::size_t i = 0; i < kBlocksAtOnce && blocks != nullptr; ++i) {
    Block* const block = blocks;
    blocks = block->next;
    std::free(block);
    held -= kBlock;
  }
}

void refill() {
  const std::lock_guard lock(mutex);
  while (held.load() < size.load()) {
    auto* const block = static_cast<Block*>(std::malloc(kBlock));
    if (block == nullptr) return;
    block->next = blocks;
    blocks = block;
    held += kBlock;
  }
}

std::size_t missing(std::size_t wanted) { return wanted - std::min(wanted, held.load()); }

}  // namespace

void give_large_blocks_back() noexcept {
  // glibc's own first threshold. Setting it keeps it from growing.
  constexpr int kLarge = 128 << 10;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
}

void keep_memory_reserve(std::size_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  // Every further arena takes 64 MiB of the address space, however little is in it.
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_MMAP_THRESHOLD, kMappedAlone);
  ::mallopt(M_TRIM_THRESHOLD, kMappedAlone);
  size = bytes / kBlock * kBlock;
  refill();
  std::set_new_handler(give_up_some);
}

std::size_t memory_reserve_size() noexcept { return size.load(); }

MemoryLeft memory_left() noexcept {
  if (held.load() >= size.load()) return MemoryLeft::enough;
  refill();
  const auto there = held.load();
  if (there >= size.load()) return MemoryLeft::enough;
  return there >= size.load() / 2 ? MemoryLeft::little : MemoryLeft::least;
}

MissingMemory missing_memory() noexcept { return {missing(size.load()), missing(size.load() / 2)}; }

SpareReserve::SpareReserve(Part part) noexcept : before_(spared) {
  switch (part) {
    case Part::none: spared = 0; break;
    case Part::half: spared = size.load() / 2; break;
    case Part::all: spared = size.load(); break;
  }
}

SpareReserve::~SpareReserve() { spared = before_; }

}  // namespace holdfast::base
