// fence.h -- the resource's side of a lock: it refuses a holder that is late.
//
// No lock can stop a holder that was paused past the end of its session from waking up and writing. A resource that remembers the largest
// token it has seen can refuse that write.
#pragma once

#include <atomic>
#include <cstdint>

#include "holdfast/language.h"

namespace holdfast {

// A fencing token: larger for every new ticket that is granted a name. 0 is no token.
using Token = std::uint64_t;

// The check, for a resource inside one process: one Fence per resource. It does not survive the process; keep the token beside the data for
// that, as the recipes for SQL, Redis and files in docs/fencing.md do.
//
// Example:
//
//   holdfast::Fence fence;                     // beside the resource
//   const auto token = mutex.acquire().token();
//   if (!fence.admit(token)) return;           // a successor of this holder has written
//
// Thread safety: all members from any thread. No member fails or blocks.
class Fence {
 public:
  // `seen`: the token that was kept beside the data, after a restart.
  explicit Fence(Token seen = 0) noexcept : seen_(seen) {}

  // True if `token` is not 0 and at least as large as every token admitted so far. The same holder may write again and again; a holder
  // whose successor has written may not.
  [[nodiscard]] bool admit(Token token) noexcept;

  // The largest token admitted so far.
  Token seen() const noexcept { return seen_.load(std::memory_order_acquire); }

 private:
  std::atomic<Token> seen_;
};

}  // namespace holdfast
