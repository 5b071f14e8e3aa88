// lean_session.h -- sessions without a library: one socket, one thread.
//
// Sends no pings of its own: a session that is silent for longer than a minute ends.
#pragma once

#include <cstdint>
#include <memory>

#include "measure/session.h"

namespace holdfast::bench {

std::unique_ptr<Session> connect_lean(std::uint16_t port);

}  // namespace holdfast::bench
