// memory_reserve.h -- memory that is kept back for the moment when an allocation fails.
//
// It is kept in many small blocks. If an allocation fails, some of them are freed and the allocation is tried again. So the work that
// must be done can still be done: answers, log lines, the end of a connection. Work that can be refused or undone uses SpareReserve,
// and gets std::bad_alloc instead.
//
//   memory_left()   the reserve          what the program may begin
//   enough          is whole             everything
//   little          is not               nothing that stays
//   least           is half spent        nothing; it frees something first
//
// Only for programs of our own, because it concerns the whole process (std::set_new_handler).
//
// Thread safety: all from any thread.
#pragma once

#include <cstddef>

namespace holdfast::base {

// Has an effect only if the process has a limit of its address space; otherwise allocations do not fail.
void keep_memory_reserve(std::size_t bytes);

// Large blocks, such as long answers, go back to the system when they are freed. By default glibc keeps more and more of them once some have been
// freed: a server that a crowd of clients has left kept gigabytes.
void give_large_blocks_back() noexcept;

enum class MemoryLeft { enough, little, least };

// First fills the reserve again as far as possible.
MemoryLeft memory_left() noexcept;
// How many bytes are missing until there is enough, and until there is little.
struct MissingMemory {
  std::size_t to_enough = 0;
  std::size_t to_little = 0;
};
MissingMemory missing_memory() noexcept;
// 0: none is kept.
std::size_t memory_reserve_size() noexcept;

// As long as it lives, allocations of this thread leave this part of the reserve alone.
class SpareReserve {
 public:
  enum class Part { none, half, all };
  explicit SpareReserve(Part part) noexcept;
  ~SpareReserve();
  SpareReserve(const SpareReserve&) = delete;
  SpareReserve& operator=(const SpareReserve&) = delete;

 private:
  std::size_t before_;
};

}  // namespace holdfast::base
