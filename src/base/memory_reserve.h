// memory_reserve.h -- memory that is kept back for the moment when there is no more.
//
// It is kept in many small blocks. If an allocation fails, some of them are given up and it is tried again. So what has to be done when
// memory ends can be done: answers, log lines, the end of a connection. What can do without, because it can be refused or undone, says
// so by SpareReserve and gets std::bad_alloc instead.
//
//   memory_left()   the reserve          what the program may begin
//   enough          is whole             everything
//   little          is not               nothing that stays
//   least           is half spent        nothing; it frees something first
//
// For programs of our own: it is a matter of the whole process (std::set_new_handler).
//
// Thread safety: all from any thread.
#pragma once

#include <cstddef>

namespace holdfast::base {

// Where the process has a limit of its address space; else allocations do not fail, and nothing is kept.
void keep_memory_reserve(std::size_t bytes);

// Large blocks, such as long answers, go back to the system when they are freed. By default glibc keeps more and more of them once some have been
// freed: a server that a crowd of clients has left kept gigabytes.
void give_large_blocks_back() noexcept;

enum class MemoryLeft { enough, little, least };

// Takes back what can be had again.
MemoryLeft memory_left() noexcept;
// What is missing to enough, and to little.
struct MissingMemory {
  std::size_t to_enough = 0;
  std::size_t to_little = 0;
};
MissingMemory missing_memory() noexcept;
// 0: none is kept.
std::size_t memory_reserve_size() noexcept;

// What this thread allocates meanwhile leaves this part of the reserve alone.
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
