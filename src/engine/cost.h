// cost.h -- what a request is likely to take, before it is executed.
//
// The order of requests depends on it (server/fair_queue.h), so it only has to tell small from large: right within a factor of a few, and
// computed in a small part of the time that the request takes. The tree and the tables know how long their lists are.
#pragma once

#include <chrono>

#include "engine/engine.h"
#include "engine/moment.h"

namespace holdfast::engine {

// Telling one watcher.
inline constexpr Moment kPerEvent = std::chrono::nanoseconds(200);

// Including the answer and the settling.
Moment likely_cost(const Engine& engine, const Client& client, const wire::Request& request);
// For one piece of the end of a session.
Moment likely_cost_of_end(const Engine& engine, wire::SessionId session);

}  // namespace holdfast::engine
