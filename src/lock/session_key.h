// session_key.h -- what another process needs to end a client's session. Not a part of the public interface: it is for `holdfast run`, whose
// guardian outlives the process that has the lock.
#pragma once

#include <string>

#include "holdfast/client.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::lock {

struct SessionKey {
  spi::SessionId id = 0;  // 0: there is none
  std::string password{};
};

// The key of the session that the client has now. Throws Error as every member of Client does. From any thread.
SessionKey session_key(const Client& client);

}  // namespace holdfast::lock
