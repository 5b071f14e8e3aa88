#include "holdfast/fence.h"

namespace holdfast {

bool Fence::admit(Token token) noexcept {
  Token seen = seen_.load(std::memory_order_acquire);
  while (token > seen) {
    if (seen_.compare_exchange_weak(seen, token, std::memory_order_acq_rel)) return true;
  }
  return token == seen && token != 0;
}

}  // namespace holdfast
