#include "server/service.h"

#include <fmt/format.h>

#include <utility>

#include "base/assert.h"
#include "server/early_ping.h"
#include "server/first_zxid.h"

namespace holdfast::server {

Service::Service(Loop& loop, EngineOptions options, engine::Engine& engine, store::Store* store)
    : loop_(loop),
      options_(std::move(options)),
      quotas_(std::make_shared<Quotas>(options_.limits)),
      engine_(engine),
      pipeline_(loop, engine, store, first_zxid(store, loop.growing_wall_clock()),
                {.at_rest = [this] { rested(); }, .stuck = [this](bool is) { stuck(is); }}),
      connections_(engine, quotas_->refusals, [this](ClientConnection& connection) { dropped(connection); }),
      sessions_(options_, engine.sessions()),
      flow_(loop, pipeline_, *quotas_->memory, options_.limits.unserved_bytes),
      memory_(loop, *quotas_, connections_, flow_),
      events_(connections_, memory_),
      cleanup_(loop, engine, pipeline_, events_, options_.container_check_interval),
      logins_(loop, engine, pipeline_, flow_, connections_, sessions_, quotas_->refusals, options_),
      expiry_(loop, engine.sessions(), sessions_.least_timeout() / 2,
              {.looks = [this] { quotas_->refusals.catch_up(); },
               .silent = [this](wire::SessionId session) { end_session(session, SessionEnd::Why::silent); }}),
      handshakes_{flow_, connections_, sessions_, memory_, engine.sessions()},
      requests_{loop, pipeline_, flow_, connections_, sessions_, memory_, cleanup_, events_, quotas_->refusals},
      authentications_{flow_, connections_, logins_},
      session_ends_{loop, engine.sessions(), connections_, sessions_, flow_, cleanup_, events_},
      started_(loop.wall_time()) {
  if (store != nullptr) {
    const SnapshotDue::Bounds after{options_.snapshot_after, options_.snapshot_after_bytes};
    const auto go_on = alive_.guard([this] {
      if (pipeline_.at_rest()) snapshotter_->turn(pipeline_.changes());
    });
    snapshotter_ = std::make_unique<Snapshotter>(loop, engine, *store, after, go_on);
  }
  engine_.sessions().all_heard_of(loop_.now());
  note_use();
  cleanup_.start();
  expiry_.start();
}

Service::~Service() {
  pipeline_.halt();
  snapshotter_.reset();
  connections_.drop_all();
}

// --------------------------------------------------------------------------------------------------------- connections

ConnectionId Service::connected(std::shared_ptr<Peer> peer, Origin origin) {
  if (stopping_ || pipeline_.stuck() || connections_.size() >= options_.limits.connections) return 0;
  const auto connection = connections_.add(std::move(peer), std::move(origin), loop_.wall_time());
  connection->authorized = !logins_.required();
  return connection->id;
}

void Service::disconnected(ConnectionId id) {
  const auto connection = connections_.find(id);
  if (!connection) return;
  connection->peer.reset();  // there is no other side to close
  connections_.drop(*connection);
}

void Service::dropped(ClientConnection& connection) {
  logins_.left(connection);
  cleanup_.sweep_watches();
  flow_.go_on(connection);
  if (sessions_.left(connection)) end_session(connection.session, SessionEnd::Why::stranger);
}

void Service::sent(ConnectionId id) {
  if (const auto connection = connections_.find(id)) flow_.sent(*connection);
}

void Service::received(ConnectionId id, std::string frame) {
  const auto connection = connections_.find(id);
  if (!connection || connection->leaving) return;
  ++connection->report.received;
  connections_.traffic().arrived(frame.size());
  if (std::exchange(connection->greeted, true)) {
    take(connection, std::move(frame));
  } else {
    greet(connection, frame);
  }
  flow_.look(*connection);
}

// -------------------------------------------------------------------------------------------------------------- frames

void Service::push(const ConnectionPtr& connection, std::unique_ptr<Work> work) {
  pipeline_.push(line_of(*connection), std::move(work));
}

void Service::greet(const ConnectionPtr& connection, std::string_view frame) {
  const auto size = frame.size();
  const auto now = loop_.now();
  wire::Reader reader(frame);
  wire::ConnectRequest request;
  if (!decode(reader, request)) {
    return connections_.refuse(*connection, Refusal::frame, "began with a request that is no handshake");
  }
  // It has seen more than this server ever told: of another server, or of our own past that is lost. Neither is for us to answer.
  if (request.last_zxid_seen > pipeline_.zxid()) {
    return connections_.refuse(
        *connection, Refusal::history,
        fmt::format("has seen zxid {:#x}, and this server has got to {:#x} only: it was a client of another "
                    "server, or of one whose data are lost; start it anew",
                    request.last_zxid_seen, pipeline_.zxid()));
  }
  // It is alive, however long its turn takes to come.
  const auto* session = engine_.sessions().find(request.session);
  if (session != nullptr && session->password == request.password) {
    engine_.sessions().heard_of(request.session, now);
    connection->trusted = !sessions_.has_failed_to_log_in(request.session);
  }
  connection->took(size);
  const bool opens = request.session == 0;
  auto handshake = std::make_unique<Handshake>(handshakes_, connection, std::move(request), size, now);
  if (const auto& source = connection->origin.source; opens && source) {
    if (const auto turn = source->new_sessions.take(now); turn > now) {
      const auto work = std::make_shared<std::unique_ptr<Work>>(std::move(handshake));
      return flow_.pause(connection, turn, [this, connection, work] { push(connection, std::move(*work)); });
    }
  }
  push(connection, std::move(handshake));
}

void Service::take(const ConnectionPtr& connection, std::string frame) {
  const auto size = frame.size();
  const auto now = loop_.now();
  wire::Reader reader(frame);
  const auto xid = reader.i32();
  const auto op = static_cast<wire::Op>(reader.i32());
  if (!reader.ok()) return connections_.refuse(*connection, Refusal::frame, "sent a request without a header");
  engine_.sessions().heard_of(connection->session, now);
  // Immediately: it asks whether we are there, not whether the disk is. But never for a session that is about to end: its holder would
  // count on a time that it has not got.
  if (op == wire::Op::ping && connection->welcomed) {
    if (engine_.sessions().find(connection->session) == nullptr) return;
    connection->report.last_operation = "PING";
    return connection->send(wire::reply_frame(wire::kPingXid, pipeline_.zxid(), wire::Code::ok));
  }
  if (op == wire::Op::sasl) return answer_sasl(*connection, xid, reader);
  connection->took(size);
  if (op == wire::Op::ping) {
    return push(connection, std::make_unique<EarlyPing>(flow_, connections_, connection, size, now));
  }
  if (op == wire::Op::auth) return log_in(connection, xid, reader, size);
  push(connection, std::make_unique<ClientRequest>(requests_, connection, xid, op, std::move(frame), now));
}

// As a server without SASL says it: no error, and no token either. Nothing has been proven.
void Service::answer_sasl(ClientConnection& connection, std::int32_t xid, wire::Reader& body) {
  const auto token = body.buffer();
  if (!body.ok() || !token) {
    return connections_.refuse(connection, Refusal::frame, "sent a login of SASL that cannot be read");
  }
  wire::Writer none;
  none.null();
  connection.send(wire::reply_frame(xid, 0, wire::Code::ok, none.bytes()));
}

void Service::log_in(const ConnectionPtr& connection, std::int32_t xid, wire::Reader& body, std::size_t size) {
  (void)body.i32();  // type
  auto scheme = body.buffer().value_or("");
  auto credentials = body.buffer();
  if (!body.ok()) return connections_.refuse(*connection, Refusal::frame, "sent a login that cannot be read");
  logins_.enter(connection, std::make_unique<Authentication>(authentications_, connection, xid, std::move(scheme),
                                                             std::move(credentials), size, loop_.now()));
}

// ----------------------------------------------------------------------------------------------------------- sessions

void Service::end_session(wire::SessionId session, SessionEnd::Why why) {
  pipeline_.push(line_of_session(session), std::make_unique<SessionEnd>(session_ends_, session, why));
}

// Sessions come and go in batches only, and after each of them this is called.
void Service::note_use() {
  if (engine_.sessions().size() > 0) {
    unused_since_.reset();
  } else if (!unused_since_) {
    unused_since_ = loop_.now();
  }
}

std::optional<engine::Moment> Service::unused_for() const {
  if (!unused_since_ || !connections_.empty() || !pipeline_.idle()) return std::nullopt;
  return loop_.now() - *unused_since_;
}

// ---------------------------------------------------------------------------------------------------- pipeline and end

void Service::rested() {
  note_use();
  if (snapshotter_) snapshotter_->turn(pipeline_.changes());
  finish_stop();
}

void Service::stuck(bool stuck) {
  if (stuck) {
    connections_.drop_all();
  } else {  // no client could be heard of meanwhile
    engine_.sessions().all_heard_of(loop_.now());
  }
  finish_stop();
}

void Service::stop(std::function<void()> done) {
  stopping_ = true;
  stopped_ = std::move(done);
  expiry_.stop();
  cleanup_.stop();
  flow_.stop();
  connections_.for_each([this](ClientConnection& connection) {
    connection.leaving = true;
    flow_.go_on(connection);
  });
  finish_stop();
}

void Service::finish_stop() {
  if (!stopping_ || !stopped_) return;
  if (!pipeline_.idle() && !pipeline_.stuck()) return;
  connections_.drop_all();
  HOLDFAST_ASSERT(connections_.empty(), connections_.size());
  if (snapshotter_ && !pipeline_.stuck()) snapshotter_->take_now();
  std::exchange(stopped_, nullptr)();
}

}  // namespace holdfast::server
