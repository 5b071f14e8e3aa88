// session_end.h -- ends the session of a client that is gone, so that its locks need not wait for the session's timeout. Not a part of the public
// interface: it is for `holdfast run`, whose guardian outlives the process that has the lock.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/clock.h"
#include "lock/session_key.h"

namespace holdfast {

// `session_timeout`, `auth` and `tls` are what the client was given. `local:` is not started for it. Needs no thread. Blocks until about then (looking up a
// name may take longer). False: not known to have ended; it does by itself.
bool end_session(const std::string& url, const lock::SessionKey& key, std::chrono::milliseconds session_timeout,
                 const std::vector<Auth>& auth, const TlsOptions& tls, Clock::time_point deadline) noexcept;

}  // namespace holdfast
