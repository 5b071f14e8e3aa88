// fence.h -- the resource's side of a lock: refuses a holder that is late.
//
// No lock can stop a holder that was paused past the end of its session from waking up and writing. A resource that
// remembers the largest token it has seen can.
#pragma once

#include <atomic>
#include <cstdint>

#include "holdfast/language.h"

namespace holdfast {

// Fencing token: grows with every new ticket that is granted a name. 0 is no token.
using Token = std::uint64_t;

// Thread safe. Lives with the resource, one per resource; does not survive the process (keep the token beside the data
// for that).
class Fence {
 public:
  explicit Fence(Token seen = 0) noexcept : seen_(seen) {}

  // True if `token` is at least as large as every token admitted so far. The same holder may write again and again; a
  // holder whose successor has written may not.
  [[nodiscard]] bool admit(Token token) noexcept;

  // The largest token admitted so far.
  Token seen() const noexcept { return seen_.load(std::memory_order_acquire); }

 private:
  std::atomic<Token> seen_;
};

}  // namespace holdfast
