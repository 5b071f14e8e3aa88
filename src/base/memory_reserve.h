// memory_reserve.h -- memory that is kept back for the moment when there is no more.
//
//              an allocation fails                 refill()
//   none       std::bad_alloc                      -
//   whole      it is given up, the allocation      -
//              succeeds after all; -> spent
//   spent      std::bad_alloc                      -> whole, if memory can be had again
//
// So what is half done when memory ends can be done to the end, and the program finds out afterwards: it frees something before it
// begins anything new. For programs of our own: it is a matter of the whole process (std::set_new_handler).
//
// Thread safety: all from any thread.
#pragma once

#include <cstddef>

namespace holdfast::base {

// Where the process has a limit of its address space; else allocations do not fail, and nothing is kept.
void keep_memory_reserve(std::size_t bytes);

bool memory_reserve_is_spent() noexcept;
// False: it is still spent.
bool refill_memory_reserve() noexcept;

}  // namespace holdfast::base
