#include "server/handshake.h"

#include <openssl/rand.h>

#include <algorithm>
#include <new>

#include "base/assert.h"
#include "base/memory_reserve.h"
#include "wire/protocol.h"

namespace holdfast::server {

using engine::Outcome;

namespace {

// Empty: no random bytes are to be had. A password that can be guessed would let other clients take the session over.
std::string new_password() {
  std::string password(16, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(password.data()), static_cast<int>(password.size())) != 1) return {};
  return password;
}

}  // namespace

const engine::SessionState* Handshake::resumed() const {
  const auto* session = context_.known.find(request_.session);
  return session != nullptr && session->password == request_.password ? session : nullptr;
}

bool Handshake::writes() const {
  if (request_.session == 0) return true;
  const auto* session = resumed();
  return session != nullptr && session->timeout != timeout_of(*session);
}

// Limits that were lowered since are for new sessions: a client whose answer to this is lost counts on what it was granted before. Only if it
// asks for less itself does it get less.
std::chrono::milliseconds Handshake::timeout_of(const engine::SessionState& session) const {
  const auto kept = std::min(session.timeout, std::chrono::milliseconds(request_.timeout));
  return std::max(context_.sessions.grant(request_.timeout), kept);
}

Outcome Handshake::execute(engine::Engine& engine, const Turn& turn) {
  turned_away_ = false;
  if (!connection_->peer) return {.zxid = turn.zxid};
  return request_.session != 0 ? resume(engine, turn) : open(engine, turn);
}

Outcome Handshake::resume(engine::Engine& engine, const Turn& turn) {
  Outcome nothing{.zxid = turn.zxid};
  const auto* session = resumed();
  if (session == nullptr) return nothing;
  const auto timeout = timeout_of(*session);
  connection_->trusted = !context_.sessions.has_failed_to_log_in(request_.session);
  password_ = session->password;
  engine.sessions().heard_of(request_.session, received_);
  adopt(request_.session, timeout);
  if (session->timeout == timeout) return nothing;
  return engine.set_timeout(turn.zxid, turn.time, request_.session, timeout);
}

Outcome Handshake::open(engine::Engine& engine, const Turn& turn) {
  Outcome nothing{.zxid = turn.zxid};
  // There is room for sessions when there is none for nodes any more: a client must be able to come and delete some.
  no_memory_ = context_.memory.left() == base::MemoryLeft::least;
  turned_away_ = no_memory_ || !context_.sessions.may_open(*connection_);
  if (turned_away_) return nothing;
  password_ = new_password();
  turned_away_ = password_.empty();
  if (turned_away_) return nothing;
  const auto timeout = context_.sessions.grant(request_.timeout);
  // No two sessions have one zxid, not even of two lives of this server.
  Outcome opened;
  try {
    const base::SpareReserve spare(base::SpareReserve::Part::half);
    opened = engine.open_session(turn.zxid, turn.time, turn.zxid, password_, timeout, turn.now);
  } catch (const std::bad_alloc&) {
    turned_away_ = no_memory_ = true;
    return nothing;
  }
  HOLDFAST_ASSERT(turn.zxid != 0 && connection_->session == 0, turn.zxid, connection_->session);
  context_.sessions.opened(*connection_, turn.zxid);
  adopt(turn.zxid, timeout);
  return opened;
}

void Handshake::adopt(wire::SessionId session, std::chrono::milliseconds timeout) {
  const auto before = context_.connections.find(context_.sessions.connection_of(session));
  if (before && before != connection_) {
    before->replaced = true;
    context_.connections.drop(*before);
  }
  context_.sessions.adopt(*connection_, session, timeout);
}

void Handshake::settle(engine::Engine&, Outcome&) {
  served();
  if (no_memory_) {
    return context_.connections.refuse(*connection_, Refusal::memory, "wants a session, and there is no memory for it");
  }
  if (turned_away_) {
    return context_.connections.refuse(*connection_, Refusal::session, "wants one more session than there may be");
  }
  wire::ConnectResponse response{.has_read_only = request_.has_read_only};
  const bool accepted = connection_->session != 0;
  connection_->welcomed = accepted;
  if (accepted) {
    HOLDFAST_ASSERT(connection_->timeout.count() > 0, connection_->session);
    response.timeout = static_cast<std::int32_t>(connection_->timeout.count());
    response.session = connection_->session;
    response.password = password_;
  }
  wire::Writer body;
  encode(body, response);
  connection_->send(wire::frame(body.bytes()));
  if (!accepted) context_.connections.drop(*connection_);
}

// Without an answer: the client tries again.
void Handshake::fail(bool) {
  if (request_.session == 0) context_.sessions.ended(connection_->session);
  context_.connections.drop(*connection_);
}

}  // namespace holdfast::server
