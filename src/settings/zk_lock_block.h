// zk_lock_block.h -- the block of a Java service that uses a starter for locks on ZooKeeper, exactly as it is.
//
//   zk-lock:
//     address: 10.0.0.1:2181,10.0.0.2:2181
//     connection-timeout: 1500000000     # milliseconds; cut to a day, and said
//     session-timeout: 600000
//     retry-policy: retry-forever
//     retry_forever:
//       retry-interval-ms: 3000
//
// Names as Spring binds them: session-timeout, session_timeout and sessionTimeout are the same.
#pragma once

#include "settings/client_file.h"

namespace holdfast::settings {

// Adds what it says under our names: url, session_timeout, connect_timeout, retry.policy and so on.
Parsed<void> read_zk_lock(const YamlSetting& block, ClientFile& file);

}  // namespace holdfast::settings
