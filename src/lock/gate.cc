#include "lock/gate.h"

#include <algorithm>

namespace holdfast::lock {

void Gate::enter(std::shared_ptr<Waiter> waiter) {
  std::erase_if(parties_, [](const auto& party) { return party->idle(); });
  const auto mode = waiter->call().mode;
  if (!parties_.empty() && !alone_ && parties_.back()->takes(*waiter)) return parties_.back()->enter(std::move(waiter));
  if (!waiter->patient()) {
    // What our own threads have or want is known without asking.
    const auto in_the_way = std::find_if(parties_.begin(), parties_.end(), [&](const auto& party) {
      return mode != spi::Mode::shared || !party->is_shared();
    });
    if (in_the_way != parties_.end()) {
      return waiter->fail((*in_the_way)->busy(parties_.back()->ahead_of_newcomer()));
    }
  }
  parties_.push_back(make_party_({.queue = queue_, .mode = mode}));
  parties_.back()->enter(std::move(waiter));
}

bool Gate::leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) {
  return std::any_of(parties_.begin(), parties_.end(),
                     [&](const auto& party) { return party->leave(waiter, refusal); });
}

}  // namespace holdfast::lock
