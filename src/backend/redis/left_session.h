// left_session.h -- ends a session on Redis whose client is gone, by its id.
//
// Runs a loop of its own, on the calling thread: for a process that has nothing else to do.
#pragma once

#include <string>

#include "holdfast/client.h"
#include "holdfast/clock.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::redis {

// Blocks until about the deadline. True: the session has ended. `options`: what the client was given. Only mode queue has sessions.
bool end_left_session(const std::string& url, spi::SessionId session, const ClientOptions& options,
                      Clock::time_point deadline);

}  // namespace holdfast::redis
