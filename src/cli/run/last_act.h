// last_act.h -- what the guardian does when the wrapper was killed, and nothing that ran under the lock is left: it ends the session, so that the next
// client is granted now and not after the session's timeout.
//
// The caller has seen that every process of the command is dead, or that none was started. If it fails, the session ends by itself.
#pragma once

#include "cli/config/service.h"
#include "lock/session_key.h"

namespace holdfast::cli {

// Ends this process, in a few seconds at the latest. It has no other thread, and needs none of its descriptors.
[[noreturn]] void end_session_and_exit(const ServiceSettings& service, const lock::SessionKey& key);

}  // namespace holdfast::cli
