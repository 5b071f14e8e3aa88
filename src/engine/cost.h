// cost.h -- what a request is likely to take, before it is executed.
//
// Whose turn it is depends on it (server/fair_queue.h), so it must tell the small from the large, not more: right within a factor of a
// few, and worked out in a small part of the time that the request takes. The tree and the tables know how long their lists are.
#pragma once

#include <chrono>

#include "engine/engine.h"
#include "engine/moment.h"

namespace holdfast::engine {

// To tell one watcher.
inline constexpr Moment kPerEvent = std::chrono::nanoseconds(200);

// With what its answer takes, and its settling.
Moment likely_cost(const Engine& engine, const Client& client, const wire::Request& request);
// Of one piece of what the end of a session removes.
Moment likely_cost_of_end(const Engine& engine, wire::SessionId session);

}  // namespace holdfast::engine
