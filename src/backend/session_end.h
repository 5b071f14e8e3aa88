// session_end.h -- ends the session of a client that is gone, so that its locks need not wait for the session's timeout. Not a part of the public
// interface: it is for `holdfast run`, whose guardian outlives the process that has the lock.
#pragma once

#include <string>

#include "holdfast/client.h"
#include "holdfast/clock.h"
#include "lock/session_key.h"

namespace holdfast {

// `options` is what the client was given. The engine of `local:` is started if none runs: the session is in its files, and would
// live its whole timeout from the next start on. Blocks until about then (looking up a name may take longer). False: not known to have ended; it does by
// itself.
bool end_session(const std::string& url, const lock::SessionKey& key, const ClientOptions& options,
                 Clock::time_point deadline) noexcept;

}  // namespace holdfast
