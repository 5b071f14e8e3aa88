#include "server/session_registry.h"

#include <algorithm>

#include "base/assert.h"

namespace holdfast::server {

SessionRegistry::SessionRegistry(const EngineOptions& options, const engine::Sessions& sessions)
    : least_(options.min_session_timeout.count() > 0 ? options.min_session_timeout : 2 * options.tick_time),
      most_(options.max_session_timeout.count() > 0 ? options.max_session_timeout : 20 * options.tick_time),
      limit_(options.limits.sessions),
      sessions_(sessions) {}

std::chrono::milliseconds SessionRegistry::grant(std::int32_t timeout) const {
  return std::min(std::max(std::chrono::milliseconds(timeout), least_), most_);
}

bool SessionRegistry::may_open(const ClientConnection& connection) const {
  const auto there = sessions_.size();
  if (there >= limit_) return false;
  const auto& source = connection.origin.source;
  return !source || Addresses::may_have_more(source->sessions, limit_ - there);
}

void SessionRegistry::opened(const ClientConnection& connection, wire::SessionId session) {
  HOLDFAST_ASSERT(session != 0 && !opened_from_.contains(session), session);
  HOLDFAST_ASSERT(!speakers_.contains(session), session);
  if (!connection.authorized) strangers_.insert(session);
  if (!connection.origin.source) return;
  ++connection.origin.source->sessions;
  opened_from_[session] = connection.origin.source;
}

void SessionRegistry::failed_to_log_in(wire::SessionId session) {
  if (sessions_.find(session) != nullptr) guessers_.insert(session);
}

void SessionRegistry::ended(wire::SessionId session) {
  guessers_.erase(session);
  const auto found = opened_from_.find(session);
  if (found == opened_from_.end()) return;
  HOLDFAST_ASSERT(found->second != nullptr && found->second->sessions > 0, session);
  --found->second->sessions;
  opened_from_.erase(found);
}

ConnectionId SessionRegistry::connection_of(wire::SessionId session) const {
  const auto found = speakers_.find(session);
  return found == speakers_.end() ? 0 : found->second;
}

void SessionRegistry::adopt(ClientConnection& connection, wire::SessionId session, std::chrono::milliseconds timeout) {
  // One connection speaks for one session, and for no other after that.
  HOLDFAST_ASSERT(session != 0 && connection.id != 0, session, connection.id);
  HOLDFAST_ASSERT(connection.session == 0 || connection.session == session, connection.session, session);
  HOLDFAST_ASSERT(timeout.count() > 0, timeout);
  connection.session = session;
  connection.timeout = timeout;
  connection.report.session = session;
  connection.report.timeout = timeout.count();
  speakers_[session] = connection.id;
}

bool SessionRegistry::has_moved(const ClientConnection& connection) const {
  const auto speaker = connection_of(connection.session);
  return connection.replaced || (speaker != 0 && speaker != connection.id);
}

bool SessionRegistry::left(const ClientConnection& connection) {
  if (connection_of(connection.session) == connection.id) speakers_.erase(connection.session);
  return strangers_.erase(connection.session) > 0;
}

}  // namespace holdfast::server
