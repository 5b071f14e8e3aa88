// circle.h -- circles of waiting threads over all clients, as the tickets in the queues show them.
#pragma once

#include <optional>
#include <vector>

#include "holdfast/card.h"
#include "holdfast/inspect.h"
#include "lock/refusal.h"

namespace holdfast::lock {

// Why the owner of that card must give up: it is in a circle, and of those that wait in it, it came last. Pure.
std::optional<Refusal> find_circle_of(const Card& mine, const std::vector<LockInfo>& locks);

}  // namespace holdfast::lock
