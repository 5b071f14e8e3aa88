// left_session.h -- ends a session whose client is gone, by its id and password.
//
// Needs no thread and no Executor: for a process that has nothing else to do.
#pragma once

#include <chrono>
#include <string>

#include "holdfast/clock.h"
#include "holdfast/zookeeper_options.h"
#include "net/client_tls.h"
#include "net/server_address.h"
#include "wire/records.h"

namespace holdfast::zk {

struct LeftSession {
  wire::SessionId id = 0;
  std::string password{};
  std::chrono::milliseconds timeout{};  // the one that was asked for
};

// Asks the first of the servers that answers; each gets its share of the time. Looking up a name may take longer. True: the session has ended.
// `options`: what the client logged in with. `tls`: none for plain text.
bool end_left_session(const net::ServerAddresses& servers, const LeftSession& session, const ZooKeeperOptions& options,
                      net::ClientTls* tls, Clock::time_point deadline);

}  // namespace holdfast::zk
