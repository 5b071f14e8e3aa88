#include "server/session_end.h"

#include <new>
#include <utility>

#include "base/assert.h"
#include "engine/cost.h"
#include "wire/request.h"

namespace holdfast::server {

using engine::Outcome;
using wire::Code;

namespace {

// A disk that refused to note the end of a session is not asked again before.
constexpr auto kExpireAgainAfter = std::chrono::seconds(1);

}  // namespace

engine::Moment SessionEnd::weigh(const engine::Engine& engine) { return likely_cost_of_end(engine, session_); }

bool SessionEnd::is_speaking() const {
  const auto connection = context_.connections.find(context_.sessions.connection_of(session_));
  return connection && context_.flow.is_speaking(*connection);
}

Outcome SessionEnd::execute(engine::Engine& engine, const Turn& turn) {
  // Heard of since it was found silent: what it sent may have been acknowledged, and it counts on that.
  if (why_ == Why::silent && is_speaking()) engine.sessions().heard_of(session_, turn.now);
  const auto* session = engine.sessions().find(session_);
  const bool alive = why_ == Why::silent && session != nullptr && session->heard + session->timeout > turn.now;
  if (session == nullptr || alive) {
    engine.sessions().look_again(session_);
    return {.zxid = turn.zxid, .code = Code::session_expired};
  }
  // Nothing was heard of it for all of its timeout, or it is a stranger's.
  HOLDFAST_ASSERT(why_ == Why::stranger || session->heard + session->timeout <= turn.now, session->heard, turn.now);
  try {
    return engine.execute({session_, 0}, turn.zxid, turn.time, wire::CloseSession{});
  } catch (const std::bad_alloc&) {
    engine.sessions().look_again(session_, turn.now + kExpireAgainAfter);
    return {.zxid = turn.zxid, .code = Code::system_error};
  }
}

void SessionEnd::settle(engine::Engine& engine, Outcome& outcome) {
  engine.settle({session_, 0}, wire::CloseSession{}, outcome, context_.events.teller());
  if (outcome.code != Code::ok) return;
  context_.sessions.ended(session_);
  if (why_ == Why::silent) ++context_.sessions.statistics().expired;
  if (const auto connection = context_.connections.find(context_.sessions.connection_of(session_))) {
    context_.connections.drop(*connection);
  }
  if (engine.has_ephemerals(session_)) context_.cleanup.end_ephemerals(session_);
}

void SessionEnd::fail(bool) { context_.known.look_again(session_, context_.loop.now() + kExpireAgainAfter); }

}  // namespace holdfast::server
