#include "server/service_work.h"

#include <algorithm>

#include "server/now.h"
#include "server/service.h"

namespace holdfast::server {

using engine::Outcome;
using wire::Code;

namespace {

// Writes of one life: more than a million in every second for ten days. More only carry into the upper half of its room.
constexpr int kCounterBits = 40;
// How often 40 bits are used up before a life has no room left.
constexpr std::uint64_t kRoomOfALife = 2;
// A disk that refused to note the end of a session is not asked again before.
constexpr auto kExpireAgainAfter = std::chrono::seconds(1);

// As ZooKeeper's `stat` and `cons` name them.
const char* name_of(wire::Op op) {
  switch (op) {
    case wire::Op::create:
    case wire::Op::create2:
    case wire::Op::create_ttl:
    case wire::Op::create_container: return "CREA";
    case wire::Op::remove:
    case wire::Op::delete_container: return "DELE";
    case wire::Op::exists: return "EXIS";
    case wire::Op::get_data: return "GETD";
    case wire::Op::set_data: return "SETD";
    case wire::Op::get_acl: return "GETA";
    case wire::Op::set_acl: return "SETA";
    case wire::Op::get_children:
    case wire::Op::get_children2: return "GETC";
    case wire::Op::sync: return "SYNC";
    case wire::Op::check: return "CHEC";
    case wire::Op::multi: return "MULT";
    case wire::Op::multi_read: return "MLTR";
    case wire::Op::check_watches: return "CHKW";
    case wire::Op::remove_watches: return "REMW";
    case wire::Op::set_watches: return "SETW";
    case wire::Op::set_watches2: return "STW2";
    case wire::Op::add_watch: return "ADDW";
    case wire::Op::get_ephemerals: return "GETE";
    case wire::Op::get_all_children_number: return "GETACN";
    case wire::Op::who_am_i: return "HOMI";
    case wire::Op::reconfig: return "RECO";
    case wire::Op::close_session: return "CLOS";
    default: return "NA";
  }
}

}  // namespace

wire::Zxid first_zxid(const store::Store* store) {
  if (store == nullptr) return wire::Zxid{1} << kCounterBits;
  // From how often the store was opened, which is durable before anybody is told anything, and not from what is in the log: a life
  // may have told zxids of which nothing is left there (writes that failed or were refused, or that went with the power).
  auto epoch = kRoomOfALife * store->epoch();
  // A log that has got further than that all the same has used up all its room.
  if (store->last_index() > 0) epoch = std::max(epoch, (store->last_index() >> kCounterBits) + kRoomOfALife);
  return static_cast<wire::Zxid>(epoch << kCounterBits);
}

const engine::Session* Handshake::resumed() const {
  const auto* session = service_.engine_.sessions().find(request_.session);
  return session != nullptr && session->password == request_.password ? session : nullptr;
}

bool Handshake::writes() const {
  if (request_.session == 0) return true;
  const auto* session = resumed();
  return session != nullptr && session->timeout != service_.grant(request_.timeout);
}

Outcome Handshake::execute(engine::Engine& engine, const Turn& turn) {
  Outcome nothing{.zxid = turn.zxid};
  turned_away_ = false;
  if (!connection_->peer) return nothing;
  const auto timeout = service_.grant(request_.timeout);
  if (request_.session != 0) {
    const auto* session = resumed();
    if (session == nullptr) return nothing;
    password_ = session->password;
    engine.sessions().heard_of(request_.session, received_);
    service_.adopt(*connection_, request_.session, timeout);
    if (session->timeout == timeout) return nothing;
    return engine.set_timeout(turn.zxid, turn.time, request_.session, timeout);
  }
  if (engine.sessions().size() >= service_.options_.limits.sessions) {
    turned_away_ = true;
    return nothing;
  }
  password_ = service_.new_password();
  // No two sessions have one zxid, not even of two lives of this server.
  service_.adopt(*connection_, turn.zxid, timeout);
  return engine.open_session(turn.zxid, turn.time, turn.zxid, password_, timeout, turn.now);
}

void Handshake::settle(engine::Engine&, Outcome&) {
  service_.served(*connection_, size_);
  if (turned_away_) return service_.drop(*connection_);
  wire::ConnectResponse response{.has_read_only = request_.has_read_only};
  const bool accepted = connection_->session != 0;
  connection_->welcomed = accepted;
  if (accepted) {
    response.timeout = static_cast<std::int32_t>(connection_->timeout.count());
    response.session = connection_->session;
    response.password = password_;
  }
  wire::Writer body;
  encode(body, response);
  connection_->send(wire::frame(body.bytes()));
  if (!accepted) service_.drop(*connection_);
}

// Without an answer: the client tries again.
void Handshake::fail(bool) { service_.drop(*connection_); }

ClientRequest::ClientRequest(Service& service, std::shared_ptr<ClientConnection> connection, std::int32_t xid,
                             wire::Op op, wire::Request request, std::size_t size)
    : service_(service),
      connection_(std::move(connection)),
      xid_(xid),
      op_(op),
      request_(std::move(request)),
      size_(size),
      received_(monotonic_time()) {}

Outcome ClientRequest::execute(engine::Engine& engine, const Turn& turn) {
  if (connection_->session == 0) return {.zxid = turn.zxid, .code = Code::session_expired};
  // The session has moved: whoever speaks for it now was told so, and counts on nothing being done behind its back.
  if (service_.has_moved(*connection_)) return {.zxid = turn.zxid, .code = Code::session_moved};
  // Once more: when it came, the session's end may have been under way, which was taken back since. Who is answered counts on its
  // whole timeout from now on.
  engine.sessions().heard_of(connection_->session, received_);
  if (!connection_->authorized && op_ != wire::Op::close_session) {
    return {.zxid = turn.zxid, .code = Code::session_closed_require_auth};
  }
  return engine.execute({connection_->session, connection_->id}, turn.zxid, turn.time, request_);
}

void ClientRequest::settle(engine::Engine& engine, Outcome& outcome) {
  engine.settle({connection_->session, connection_->id}, request_, outcome,
                [this](ConnectionId id, const wire::Event& event) { service_.tell(id, event); });
  service_.served(*connection_, size_);
  answer(outcome);
  // An operation that nobody knows ends the connection, as ZooKeeper has it: who knows what else that client means.
  const bool over = op_ == wire::Op::close_session || outcome.code == Code::session_closed_require_auth ||
                    std::holds_alternative<wire::Unknown>(request_);
  if (over) service_.drop(*connection_);
}

void ClientRequest::answer(const Outcome& outcome) {
  const auto latency = (monotonic_time() - received_) / std::chrono::milliseconds(1);
  auto& report = connection_->report;
  report.last_operation = name_of(op_);
  report.last_cxid = xid_;
  report.last_zxid = outcome.zxid;
  report.last_response_time = wall_time();
  report.last_latency = latency;
  report.latency.add(latency);
  service_.answered(latency, is_write(request_), outcome.body.size());
  // Who does not know the operation has not looked at any state for it.
  const auto zxid = std::holds_alternative<wire::Unknown>(request_) ? -1 : outcome.zxid;
  connection_->send(wire::reply_frame(xid_, zxid, outcome.code, outcome.body));
}

void ClientRequest::fail(bool unknown) {
  service_.served(*connection_, size_);
  if (unknown) return service_.drop(*connection_);
  answer({.zxid = service_.pipeline_.zxid(), .code = Code::system_error});
}

Outcome EarlyPing::execute(engine::Engine& engine, const Turn& turn) {
  engine.sessions().heard_of(connection_->session, received_);
  return {.zxid = turn.zxid};
}

void EarlyPing::settle(engine::Engine&, Outcome& outcome) {
  service_.served(*connection_, size_);
  connection_->send(wire::reply_frame(wire::kPingXid, outcome.zxid, Code::ok));
}

void EarlyPing::fail(bool) { service_.drop(*connection_); }

Outcome Authentication::execute(engine::Engine&, const Turn& turn) {
  proven_ = service_.authenticate(*connection_, scheme_, credentials_);
  return {.zxid = turn.zxid};
}

void Authentication::settle(engine::Engine&, Outcome&) {
  service_.served(*connection_, size_);
  connection_->send(wire::reply_frame(xid_, 0, proven_ ? Code::ok : Code::auth_failed));
  if (!proven_) service_.drop(*connection_);
}

void Authentication::fail(bool) { service_.drop(*connection_); }

Outcome SessionEnd::execute(engine::Engine& engine, const Turn& turn) {
  // Heard of since it was found silent: what it sent may have been acknowledged, and it counts on that.
  const auto* session = engine.sessions().find(session_);
  if (session == nullptr || session->heard + session->timeout > turn.now) {
    engine.sessions().look_again(session_);
    return {.zxid = turn.zxid, .code = Code::session_expired};
  }
  return engine.execute({session_, 0}, turn.zxid, turn.time, wire::CloseSession{});
}

void SessionEnd::settle(engine::Engine& engine, Outcome& outcome) {
  engine.settle({session_, 0}, wire::CloseSession{}, outcome,
                [this](ConnectionId id, const wire::Event& event) { service_.tell(id, event); });
  if (outcome.code != Code::ok) return;
  ++service_.totals_.sessions_expired;
  if (auto* connection = service_.connection_of(session_)) service_.drop(*connection);
}

void SessionEnd::fail(bool) { service_.engine_.sessions().look_again(session_, monotonic_time() + kExpireAgainAfter); }

Outcome ContainerEnd::execute(engine::Engine& engine, const Turn& turn) {
  return engine.execute({}, turn.zxid, turn.time, request_);
}

void ContainerEnd::settle(engine::Engine& engine, Outcome& outcome) {
  engine.settle({}, request_, outcome, [this](ConnectionId id, const wire::Event& event) { service_.tell(id, event); });
}

}  // namespace holdfast::server
