// circle.h -- finds circles of waiting threads over all clients, from the cards of their tickets.
#pragma once

#include <optional>
#include <vector>

#include "holdfast/card.h"
#include "holdfast/inspect.h"
#include "lock/refusal.h"

namespace holdfast::lock {

// Why the thread of that card must give up: it is in a circle, and is the last of its waiters to have come. Pure.
std::optional<Refusal> find_circle_of(const Card& mine, const std::vector<LockInfo>& locks);

}  // namespace holdfast::lock
