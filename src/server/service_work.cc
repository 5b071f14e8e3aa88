#include "server/service_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/memory_reserve.h"
#include "engine/cost.h"
#include "server/operation_name.h"
#include "server/service.h"

namespace holdfast::server {

using engine::Outcome;
using wire::Code;

namespace {

// A disk that refused to note the end of a session is not asked again before.
constexpr auto kExpireAgainAfter = std::chrono::seconds(1);
// Of one setWatches: about a millisecond's worth. As many as fit into a frame would take a fifth of a second.
constexpr std::size_t kPathsAtOnce = 1'000;
// To read a request and do what it says, as far as its length tells. Where most of it is data it takes less.
constexpr engine::Moment kPerByte = std::chrono::nanoseconds(20);
constexpr engine::Moment kPerByteOfData = std::chrono::nanoseconds(2);
// A longer request is read again when its turn has come, rather than kept as what was read, which takes several times the memory.
constexpr std::size_t kKeptRead = 1'024;

engine::Moment by_length(std::size_t bytes, engine::Moment each) {
  return kLittle + static_cast<engine::Moment::rep>(bytes) * each;
}

// For others to be disconnected that use too much memory.
constexpr engine::Moment kWaitForRoom = std::chrono::seconds(1);

using Part = base::SpareReserve::Part;

// The last piece first.
std::vector<wire::Request> in_pieces(wire::Request request) {
  std::vector<wire::Request> pieces;
  if (auto* all = std::get_if<wire::SetWatches>(&request)) {
    wire::SetWatches piece{.relative_zxid = all->relative_zxid};
    std::size_t count = 0;
    for (const auto list : {&wire::SetWatches::data, &wire::SetWatches::exist, &wire::SetWatches::children,
                            &wire::SetWatches::persistent, &wire::SetWatches::recursive}) {
      for (auto& path : all->*list) {
        if (count++ == kPathsAtOnce) {
          count = 1;
          pieces.emplace_back(std::exchange(piece, {.relative_zxid = all->relative_zxid}));
        }
        (piece.*list).push_back(std::move(path));
      }
    }
    pieces.emplace_back(std::move(piece));
    std::reverse(pieces.begin(), pieces.end());
  } else {
    pieces.push_back(std::move(request));
  }
  return pieces;
}

}  // namespace

void ConnectionWork::served() { service_.served(*connection_, size_); }

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
    connection_->resumed = true;
    password_ = session->password;
    engine.sessions().heard_of(request_.session, received_);
    service_.adopt(*connection_, request_.session, timeout);
    if (session->timeout == timeout) return nothing;
    return engine.set_timeout(turn.zxid, turn.time, request_.session, timeout);
  }
  // There is room for sessions when there is none for nodes any more: a client must be able to come and delete some.
  no_memory_ = service_.memory_left() == base::MemoryLeft::least;
  turned_away_ = no_memory_ || !service_.may_open_session(*connection_);
  if (turned_away_) return nothing;
  password_ = service_.new_password();
  turned_away_ = password_.empty();
  if (turned_away_) return nothing;
  // No two sessions have one zxid, not even of two lives of this server.
  Outcome opened;
  try {
    const base::SpareReserve spare(Part::half);
    opened = engine.open_session(turn.zxid, turn.time, turn.zxid, password_, timeout, turn.now);
  } catch (const std::bad_alloc&) {
    turned_away_ = no_memory_ = true;
    return nothing;
  }
  service_.session_opened(*connection_, turn.zxid);
  service_.adopt(*connection_, turn.zxid, timeout);
  if (!connection_->authorized) service_.strangers_.insert(turn.zxid);
  return opened;
}

void Handshake::settle(engine::Engine&, Outcome&) {
  served();
  if (no_memory_)
    return service_.refuse(*connection_, Refusal::memory, "wants a session, and there is no memory for it");
  if (turned_away_) return service_.refuse(*connection_, Refusal::session, "wants one more session than there may be");
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
void Handshake::fail(bool) {
  if (request_.session == 0) service_.session_ended(connection_->session);
  service_.drop(*connection_);
}

std::vector<wire::Request> ClientRequest::read(wire::Op op, std::string_view frame) {
  wire::Reader reader(frame);
  (void)reader.i32();  // xid and op
  (void)reader.i32();
  return in_pieces(wire::decode_request(op, reader));
}

const wire::Request& ClientRequest::request() const {
  if (pieces_.empty()) {
    try {
      const base::SpareReserve spare(Part::half);
      pieces_ = read(op_, frame_);
    } catch (const std::bad_alloc&) {
      unreadable_ = true;
      pieces_.emplace_back(wire::Malformed{});
    }
    frame_ = {};
  }
  return pieces_.back();
}

engine::Moment ClientRequest::likely_cost() const {
  return by_length(size_, op_ == wire::Op::set_data ? kPerByteOfData : kPerByte);
}

engine::Moment ClientRequest::weigh(const engine::Engine& engine) {
  if (closing_) return likely_cost_of_end(engine, connection_->session);
  const engine::Client client{connection_->session, connection_->id};
  try {
    const base::SpareReserve spare(Part::half);
    if (!pieces_.empty() || frame_.size() <= kKeptRead) return engine::likely_cost(engine, client, request());
    return engine::likely_cost(engine, client, read(op_, frame_).back());
  } catch (const std::bad_alloc&) {  // it will see for itself
    return likely_cost();
  }
}

Outcome ClientRequest::execute(engine::Engine& engine, const Turn& turn) {
  postponed_ = false;
  auto outcome = execute_piece(engine, turn);
  const bool closes = op_ == wire::Op::close_session;
  more_ = outcome.code == Code::ok && (closes ? engine.has_ephemerals(connection_->session) : pieces_.size() > 1);
  if (postponed_) more_ = true;
  return outcome;
}

Outcome ClientRequest::execute_piece(engine::Engine& engine, const Turn& turn) {
  if (closing_) return service_.remove_ephemerals(turn, connection_->session);
  // Nobody waits for what it would find.
  if (!connection_->peer && !writes()) return {.zxid = turn.zxid, .code = Code::connection_loss};
  if (connection_->session == 0) return {.zxid = turn.zxid, .code = Code::session_expired};
  if (connection_->account->was_over_budget()) return {.zxid = turn.zxid, .code = Code::connection_loss};
  // The session has moved: whoever speaks for it now was told so, and counts on nothing being done behind its back.
  if (service_.has_moved(*connection_)) return {.zxid = turn.zxid, .code = Code::session_moved};
  // Once more: when it came, the session's end may have been under way, which was taken back since. Who is answered counts on its
  // whole timeout from now on.
  engine.sessions().heard_of(connection_->session, received_);
  if (!connection_->authorized && op_ != wire::Op::close_session) {
    return {.zxid = turn.zxid, .code = Code::session_closed_require_auth};
  }
  if (unreadable_) {
    service_.refuse(*connection_, Refusal::memory, kTooMuch);
    return {.zxid = turn.zxid, .code = Code::connection_loss};
  }
  const bool grows = takes_memory(request());
  if (grows && service_.memory_left() != base::MemoryLeft::enough) {
    // Greedy clients have it, and have just been disconnected: an honest one need not hear of it.
    postponed_ = turn.now - received_ < kWaitForRoom && service_.wait_for_room(*connection_);
    return postponed_ ? Outcome{.zxid = turn.zxid} : refuse_for_memory(turn);
  }
  Outcome outcome;
  try {
    const base::SpareReserve spare(grows ? Part::all : Part::half);
    outcome = engine.execute({connection_->session, connection_->id}, turn.zxid, turn.time, request());
  } catch (const std::bad_alloc&) {
    return refuse_for_memory(turn);
  }
  keep(outcome.body.size());
  return outcome;
}

void ClientRequest::keep(std::size_t bytes) {
  connection_->account->release(std::exchange(kept_, 0));
  connection_->account->charge(bytes);
  kept_ = bytes;
}

void ClientRequest::settle(engine::Engine& engine, Outcome& outcome) {
  if (postponed_) return;
  try {
    const base::SpareReserve spare(Part::all);
    engine.settle({connection_->session, connection_->id}, request(), outcome, service_.teller());
  } catch (const std::bad_alloc&) {  // for the watches that it asked for; those that it has got go with it
    more_ = false;
    service_.refuse(*connection_, Refusal::memory, kTooMuch);
  }
  if (op_ == wire::Op::close_session && outcome.code == Code::ok) service_.session_ended(connection_->session);
  if (more_) {
    closing_ = op_ == wire::Op::close_session;
    if (!closing_) pieces_.pop_back();
    return;
  }
  served();
  // The session is over, but not all of it is gone: it is told by the end of its connection.
  if (closing_ && outcome.code != Code::ok) return service_.drop(*connection_);
  answer(outcome);
  if (outcome.code == Code::session_closed_require_auth) {
    service_.quotas_->refusals.note(
        Refusal::login, fmt::format("{} was turned away: it has not logged in", connection_->origin.address));
  }
  // An operation that nobody knows ends the connection, as ZooKeeper has it: who knows what else that client means.
  const bool over = op_ == wire::Op::close_session || outcome.code == Code::session_closed_require_auth ||
                    std::holds_alternative<wire::Unknown>(request());
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
  service_.answered(latency, writes(), outcome.body.size());
  keep(0);
  // Who does not know the operation has not looked at any state for it.
  const auto zxid = std::holds_alternative<wire::Unknown>(request()) ? -1 : outcome.zxid;
  try {
    connection_->send(wire::reply_frame(xid_, zxid, outcome.code, outcome.body));
  } catch (const std::bad_alloc&) {
    return service_.refuse(*connection_, Refusal::memory, kTooMuch);
  }
  service_.wait_for_reader(*connection_);
}

void ClientRequest::fail(bool unknown) {
  more_ = postponed_ = false;
  served();
  keep(0);
  if (closing_) {
    service_.end_ephemerals_later(connection_->session);
    return service_.drop(*connection_);
  }
  if (unknown) return service_.drop(*connection_);
  answer({.zxid = service_.pipeline_.zxid(), .code = Code::system_error});
}

Outcome EarlyPing::execute(engine::Engine& engine, const Turn& turn) {
  engine.sessions().heard_of(connection_->session, received_);
  return {.zxid = turn.zxid};
}

void EarlyPing::settle(engine::Engine&, Outcome& outcome) {
  served();
  connection_->send(wire::reply_frame(wire::kPingXid, outcome.zxid, Code::ok));
}

void EarlyPing::fail(bool) { service_.drop(*connection_); }

void Authentication::begin() {
  if (!connection_->origin.source) return;
  ++connection_->origin.source->logins_under_way;
  under_way_ = true;
}

void Authentication::tried() {
  if (std::exchange(under_way_, false)) --connection_->origin.source->logins_under_way;
}

engine::Moment Authentication::likely_cost() const { return by_length(size_, kPerByte); }

Outcome Authentication::execute(engine::Engine&, const Turn& turn) {
  tried();
  proven_ = service_.authenticate(*connection_, scheme_, credentials_);
  return {.zxid = turn.zxid};
}

void Authentication::settle(engine::Engine&, Outcome&) {
  served();
  connection_->send(wire::reply_frame(xid_, 0, proven_ ? Code::ok : Code::auth_failed));
  if (!proven_) service_.drop(*connection_);
}

void Authentication::fail(bool) { service_.drop(*connection_); }

engine::Moment SessionEnd::weigh(const engine::Engine& engine) { return likely_cost_of_end(engine, session_); }

Outcome SessionEnd::execute(engine::Engine& engine, const Turn& turn) {
  // Heard of since it was found silent: what it sent may have been acknowledged, and it counts on that.
  if (closing_) {
    auto outcome = service_.remove_ephemerals(turn, session_);
    more_ = outcome.code == Code::ok && engine.has_ephemerals(session_);
    return outcome;
  }
  if (why_ == Why::silent && service_.is_speaking(session_)) engine.sessions().heard_of(session_, turn.now);
  const auto* session = engine.sessions().find(session_);
  const bool alive = why_ == Why::silent && session != nullptr && session->heard + session->timeout > turn.now;
  if (session == nullptr || alive) {
    engine.sessions().look_again(session_);
    return {.zxid = turn.zxid, .code = Code::session_expired};
  }
  try {
    auto outcome = engine.execute({session_, 0}, turn.zxid, turn.time, wire::CloseSession{});
    more_ = engine.has_ephemerals(session_);
    return outcome;
  } catch (const std::bad_alloc&) {
    engine.sessions().look_again(session_, turn.now + kExpireAgainAfter);
    return {.zxid = turn.zxid, .code = Code::system_error};
  }
}

void SessionEnd::settle(engine::Engine& engine, Outcome& outcome) {
  engine.settle({session_, 0}, wire::CloseSession{}, outcome, service_.teller());
  if (outcome.code != Code::ok || std::exchange(closing_, true)) return;
  service_.session_ended(session_);
  if (why_ == Why::silent) ++service_.totals_.sessions_expired;
  if (auto* connection = service_.connection_of(session_)) service_.drop(*connection);
}

void SessionEnd::fail(bool) {
  more_ = false;
  if (closing_) return service_.end_ephemerals_later(session_);
  service_.engine_.sessions().look_again(session_, monotonic_time() + kExpireAgainAfter);
}

engine::Moment EphemeralsEnd::weigh(const engine::Engine& engine) { return likely_cost_of_end(engine, session_); }

Outcome EphemeralsEnd::execute(engine::Engine& engine, const Turn& turn) {
  auto outcome = service_.remove_ephemerals(turn, session_);
  more_ = outcome.changed() && engine.has_ephemerals(session_);
  return outcome;
}

void EphemeralsEnd::settle(engine::Engine& engine, Outcome& outcome) {
  engine.settle({}, wire::CloseSession{}, outcome, service_.teller());
}

void EphemeralsEnd::fail(bool) {
  more_ = false;
  service_.end_ephemerals_later(session_);
}

Outcome ContainerEnd::execute(engine::Engine& engine, const Turn& turn) {
  try {
    return engine.execute({}, turn.zxid, turn.time, request_);
  } catch (const std::bad_alloc&) {  // it is looked for again
    return {.zxid = turn.zxid, .code = Code::system_error};
  }
}

void ContainerEnd::settle(engine::Engine& engine, Outcome& outcome) {
  engine.settle({}, request_, outcome, service_.teller());
}

}  // namespace holdfast::server
