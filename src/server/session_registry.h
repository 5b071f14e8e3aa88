// session_registry.h -- which connection speaks for which session, and how many sessions there may be.
//
// The engine knows which sessions are alive (engine/sessions.h). This knows who speaks for them:
//
//   adopt()     the connection speaks for the session; one that did before does not any more
//   left()      no connection speaks for it; it lives on until it expires or is resumed
//   ended()     it is over, and its address may have one more
//
// A stranger is the session of a client that has to log in and never has. It ends with its connection, so that a client that may do
// nothing leaves nothing.
//
// Everything happens in the loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "engine/sessions.h"
#include "holdfast/engine.h"
#include "server/client_connection.h"
#include "server/statistics.h"

namespace holdfast::server {

class SessionRegistry {
 public:
  SessionRegistry(const EngineOptions& options, const engine::Sessions& sessions);

  // The timeout that a client gets which asks for `timeout` milliseconds.
  std::chrono::milliseconds grant(std::int32_t timeout) const;
  std::chrono::milliseconds least_timeout() const { return grant(0); }

  // Neither the server nor the address of that connection has as many as it may have.
  bool may_open(const ClientConnection& connection) const;
  void opened(const ClientConnection& connection, wire::SessionId session);
  void ended(wire::SessionId session);

  // The connection that speaks for it; 0 if there is none.
  ConnectionId connection_of(wire::SessionId session) const;
  void adopt(ClientConnection& connection, wire::SessionId session, std::chrono::milliseconds timeout);
  // Another connection speaks for the session of this one, or did since.
  bool has_moved(const ClientConnection& connection) const;
  // The connection is gone. True: its session was a stranger's, and is to end.
  bool left(const ClientConnection& connection);
  // The client has logged in: no stranger.
  void logged_in(wire::SessionId session) { strangers_.erase(session); }
  // A wrong password costs the connection, and not the session: it can be resumed to guess the next one.
  void failed_to_log_in(wire::SessionId session);
  bool has_failed_to_log_in(wire::SessionId session) const { return guessers_.contains(session); }

  SessionStatistics& statistics() noexcept { return statistics_; }
  const SessionStatistics& statistics() const noexcept { return statistics_; }

 private:
  const std::chrono::milliseconds least_;
  const std::chrono::milliseconds most_;
  const std::size_t limit_;
  const engine::Sessions& sessions_;
  std::unordered_map<wire::SessionId, ConnectionId> speakers_;
  std::unordered_map<wire::SessionId, std::shared_ptr<Address>> opened_from_;
  std::unordered_set<wire::SessionId> strangers_;
  std::unordered_set<wire::SessionId> guessers_;
  SessionStatistics statistics_;
};

}  // namespace holdfast::server
