#include "server/service.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <new>
#include <utility>

#include "base/log.h"
#include "server/first_zxid.h"
#include "server/now.h"
#include "server/service_work.h"

namespace holdfast::server {
namespace {

// Between two looks at the sessions, however many are due.
constexpr engine::Moment kLeastSessionLook = std::chrono::milliseconds(1);
// A look at the sessions that is later than this is late because of us: the process was stopped, or something took long.
constexpr engine::Moment kLateLook = std::chrono::milliseconds(100);
// For what has come meanwhile to be read.
constexpr engine::Moment kListenFirst = std::chrono::milliseconds(200);
// So many nodes are looked at at a time, and so many of those that are due wait for their removal at most.
constexpr std::size_t kContainersAtOnce = 10'000;
constexpr engine::Moment kContainersPause = std::chrono::milliseconds(10);
// Watches that connections left, in each turn of the loop: less than a millisecond's worth.
constexpr std::size_t kSweptAtOnce = 1'000;
// A client that has not read so much gets no more answers for now. More than a socket takes at once, so that an honest one is never
// short of answers; few enough that what one small request brings about is not multiplied by all that it has sent.
constexpr std::size_t kUnreadAnswers = std::size_t{4} << 20;
// After a disk refused to note the end of ephemerals.
constexpr engine::Moment kEphemeralsPause = std::chrono::seconds(1);
// The requests of one client may have this share of the memory that is free, and always as much as a client with good manners needs.
constexpr std::size_t kUnservedShare = 4;
constexpr std::size_t kLeastUnserved = 64 * 1024;

}  // namespace

struct Service::Timers {
  explicit Timers(asio::io_context& context) : sessions(context), containers(context) {}
  asio::steady_timer sessions;
  asio::steady_timer containers;
};

Service::Service(Loop& loop, EngineOptions options, engine::Engine& engine, store::Store* store)
    : loop_(loop),
      options_(std::move(options)),
      quotas_(std::make_shared<Quotas>(options_.limits)),
      engine_(engine),
      store_(store),
      credentials_(options_.require_auth, options_.super_digest),
      pipeline_(loop, engine, store, first_zxid(store, growing_wall_time()),
                {.at_rest =
                     [this] {
                       note_use();
                       if (snapshotter_) snapshotter_->turn(pipeline_.changes());
                       finish_stop();
                     },
                 .stuck =
                     [this](bool stuck) {
                       if (stuck) {
                         drop_all();
                       } else {  // nobody could be heard of meanwhile
                         engine_.sessions().all_heard_of(monotonic_time());
                       }
                       finish_stop();
                     }}),
      timers_(std::make_unique<Timers>(loop.context())),
      started_(wall_time()) {
  if (store_ != nullptr) {
    const SnapshotDue::Bounds after{options_.snapshot_after, options_.snapshot_after_bytes};
    snapshotter_ = std::make_unique<Snapshotter>(engine, *store, after, [this, alive = alive_] {
      asio::post(loop_.context(), [this, alive] {
        if (*alive && pipeline_.at_rest()) snapshotter_->turn(pipeline_.changes());
      });
    });
  }
  engine_.sessions().all_heard_of(monotonic_time());
  note_use();
  for (const auto session : engine_.orphaned()) end_ephemerals(session);
  look_after_sessions();
  look_after_containers(0);
}

Service::~Service() {
  *alive_ = false;
  pipeline_.halt();
  snapshotter_.reset();
  drop_all();
}

ConnectionId Service::connected(std::shared_ptr<Peer> peer, Origin origin) {
  if (stopping_ || pipeline_.stuck() || connections_.size() >= options_.limits.connections) return 0;
  auto connection = std::make_shared<ClientConnection>();
  connection->id = ++last_connection_;
  connection->peer = std::move(peer);
  connection->account = connection->peer->account();
  connection->sent_to_all = &totals_.sent;
  connection->origin = std::move(origin);
  connection->authorized = !credentials_.any_required();
  connection->report.established = wall_time();
  const auto id = connection->id;
  engine_.connect(id, {{"ip", connection->origin.ip}});
  try {
    connections_.emplace(id, std::move(connection));
  } catch (const std::bad_alloc&) {
    engine_.disconnect(id);
    throw;
  }
  return id;
}

void Service::disconnected(ConnectionId id) {
  if (const auto found = connections_.find(id); found != connections_.end()) {
    const auto connection = found->second;
    connection->peer.reset();  // nobody to close
    drop(*connection);
  }
}

void Service::drop(ClientConnection& connection) {
  connection.leaving = true;
  if (std::exchange(connection.login_is_taken, false)) connection.origin.source->failed_logins.give_back();
  connection.waiting_login.reset();
  if (auto peer = std::exchange(connection.peer, nullptr)) peer->close();
  engine_.disconnect(connection.id);
  sweep();
  go_on(connection);
  if (const auto mine = by_session_.find(connection.session);
      mine != by_session_.end() && mine->second == connection.id) {
    by_session_.erase(mine);
  }
  if (strangers_.erase(connection.session) > 0) {
    pipeline_.push(line_of(connection.session),
                   std::make_unique<SessionEnd>(*this, connection.session, SessionEnd::Why::stranger));
  }
  connections_.erase(connection.id);
}

void Service::drop_all() {
  auto all = connections_;
  for (auto& [id, connection] : all) drop(*connection);
}

ClientConnection* Service::connection_of(wire::SessionId session) {
  const auto id = by_session_.find(session);
  return id == by_session_.end() ? nullptr : connections_.at(id->second).get();
}

bool Service::has_moved(const ClientConnection& connection) const {
  const auto owner = by_session_.find(connection.session);
  return connection.replaced || (owner != by_session_.end() && owner->second != connection.id);
}

void Service::received(ConnectionId id, std::string frame) {
  const auto found = connections_.find(id);
  if (found == connections_.end() || found->second->leaving) return;
  const auto connection = found->second;
  ++connection->report.received;
  ++totals_.received;
  totals_.bytes_received += static_cast<std::int64_t>(frame.size());
  if (std::exchange(connection->greeted, true)) {
    take(connection, std::move(frame));
  } else {
    greet(connection, frame);
  }
  hold_or_go_on(*connection);
}

// A client that sends faster than it is served is slowed down long before memory is so short that a client must go.
void Service::hold_or_go_on(ClientConnection& connection) {
  const auto room = std::max(kLeastUnserved, quotas_->memory->free() / kUnservedShare);
  const auto most = std::min(options_.limits.unserved_bytes, room);
  const bool over = connection.unserved > (connection.held ? most / 2 : most);
  const bool hold = connection.paused || over;
  if (std::exchange(connection.held, hold) != hold && connection.peer) connection.peer->hold_back(hold);
}

void Service::refuse(ClientConnection& connection, Refusal why, std::string_view what) {
  quotas_->refusals.note(why, fmt::format("{} was turned away: it {}", connection.origin.address, what));
  drop(connection);
}

void Service::greet(const ConnectionPtr& connection, std::string_view frame) {
  const auto size = frame.size();
  wire::Reader reader(frame);
  wire::ConnectRequest request;
  if (!decode(reader, request)) return refuse(*connection, Refusal::frame, "began with a request that is no handshake");
  // It has seen more than we have told anybody: of another server, or of our own past that is lost. Neither is for us to answer.
  if (request.last_zxid_seen > pipeline_.zxid()) {
    return refuse(*connection, Refusal::history,
                  fmt::format("has seen zxid {:#x}, and this server has got to {:#x} only: it was a client of another "
                              "server, or of one whose data are lost; start it anew",
                              request.last_zxid_seen, pipeline_.zxid()));
  }
  // It is alive, however long its turn takes to come.
  const auto* session = engine_.sessions().find(request.session);
  if (session != nullptr && session->password == request.password) {
    engine_.sessions().heard_of(request.session, monotonic_time());
    connection->resumed = true;
  }
  connection->took(size);
  const bool opens = request.session == 0;
  auto handshake = std::make_unique<Handshake>(*this, connection, std::move(request), size);
  if (const auto& source = connection->origin.source; opens && source) {
    const auto now = Pace::Clock::now();
    if (const auto turn = source->new_sessions.take(now); turn > now) {
      const auto work = std::make_shared<std::unique_ptr<Work>>(std::move(handshake));
      return pause(connection, turn,
                   [this, connection, work] { pipeline_.push(line_of(*connection), std::move(*work)); });
    }
  }
  pipeline_.push(line_of(*connection), std::move(handshake));
}

void Service::take(const ConnectionPtr& connection, std::string frame) {
  const auto size = frame.size();
  wire::Reader reader(frame);
  const auto xid = reader.i32();
  const auto op = static_cast<wire::Op>(reader.i32());
  if (!reader.ok()) return refuse(*connection, Refusal::frame, "sent a request without a header");
  engine_.sessions().heard_of(connection->session, monotonic_time());
  // At once: it asks whether we are there, not whether the disk is. But never for a session that is about to end: its holder would
  // count on a time that it has not got.
  if (op == wire::Op::ping && connection->welcomed) {
    if (engine_.sessions().find(connection->session) == nullptr) return;
    connection->report.last_operation = "PING";
    return connection->send(wire::reply_frame(wire::kPingXid, pipeline_.zxid(), wire::Code::ok));
  }
  // As a server without SASL says it: no error, and no token either. Nothing has been proven.
  if (op == wire::Op::sasl) {
    const auto token = reader.buffer();
    if (!reader.ok() || !token) return refuse(*connection, Refusal::frame, "sent a login of SASL that cannot be read");
    wire::Writer none;
    none.null();
    return connection->send(wire::reply_frame(xid, 0, wire::Code::ok, none.bytes()));
  }
  connection->took(size);
  if (op == wire::Op::ping)
    return pipeline_.push(line_of(*connection), std::make_unique<EarlyPing>(*this, connection, size));
  if (op == wire::Op::auth) {
    (void)reader.i32();  // type
    auto scheme = reader.buffer().value_or("");
    auto credentials = reader.buffer();
    if (!reader.ok()) return refuse(*connection, Refusal::frame, "sent a login that cannot be read");
    return log_in(connection, std::make_unique<Authentication>(*this, connection, xid, std::move(scheme),
                                                               std::move(credentials), size));
  }
  pipeline_.push(line_of(*connection), std::make_unique<ClientRequest>(*this, connection, xid, op, std::move(frame)));
}

bool Service::authenticate(ClientConnection& connection, const std::string& scheme, const wire::Buffer& credentials) {
  std::vector<wire::Id> ids;
  if (scheme == "digest" && credentials) ids = credentials_.identify(*credentials);
  if (scheme == "ip") ids.push_back({"ip", connection.origin.ip});
  const bool right = scheme == "digest" ? credentials && credentials_.accepts(*credentials, ids) : !ids.empty();
  if (right) {
    login_succeeded(connection);
  } else {
    ++totals_.auth_failed;
    login_failed(connection, scheme == "digest" ? credentials.value_or("") : scheme + ":");
  }
  for (auto& id : ids) {
    if (credentials_.is_enough(id)) {
      connection.authorized = true;
      strangers_.erase(connection.session);
    }
    if (connection.peer && !engine_.add_identity(connection.id, std::move(id))) return false;
  }
  return !ids.empty();
}

// From now on this connection speaks for the session; one that did before is of the past.
void Service::adopt(ClientConnection& connection, wire::SessionId session, std::chrono::milliseconds timeout) {
  if (auto* before = connection_of(session); before != nullptr && before != &connection) {
    before->replaced = true;
    drop(*before);
  }
  connection.session = session;
  connection.timeout = timeout;
  connection.report.session = session;
  connection.report.timeout = timeout.count();
  by_session_[session] = connection.id;
}

void Service::served(ClientConnection& connection, std::size_t bytes) {
  connection.served(bytes);
  if (connection.held) hold_or_go_on(connection);
}

void Service::wait_for_reader(ClientConnection& connection) {
  if (connection.unread || stopping_ || !connection.peer || connection.peer->unsent() <= kUnreadAnswers) return;
  connection.unread = true;
  pipeline_.wait_for_reader(line_of(connection));
}

void Service::go_on(ClientConnection& connection) {
  if (std::exchange(connection.unread, false)) pipeline_.go_on(line_of(connection));
}

void Service::sent(ConnectionId id) {
  const auto found = connections_.find(id);
  if (found == connections_.end() || !found->second->unread) return;
  if (found->second->peer->unsent() <= kUnreadAnswers / 2) go_on(*found->second);
}

// But not one that does not read: it may be gone, and its locks with it.
bool Service::is_speaking(wire::SessionId session) {
  const auto* connection = connection_of(session);
  if (connection == nullptr || !connection->peer || connection->unread) return false;
  return connection->paused || connection->peer->has_unread() || pipeline_.keeps_waiting(line_of(*connection));
}

void Service::end_ephemerals(wire::SessionId session) {
  pipeline_.push(line_of(session), std::make_unique<EphemeralsEnd>(*this, session));
}

void Service::end_ephemerals_later(wire::SessionId session) {
  auto timer = std::make_shared<asio::steady_timer>(loop_.context(), kEphemeralsPause);
  timer->async_wait([this, alive = alive_, timer, session](const std::error_code& error) {
    if (!error && *alive && !stopping_) end_ephemerals(session);
  });
}

void Service::sweep() {
  if (std::exchange(sweeping_, true)) return;
  asio::post(loop_.context(), [this, alive = alive_] {
    if (!*alive) return;
    sweeping_ = false;
    if (engine_.sweep(kSweptAtOnce)) sweep();
  });
}

std::chrono::milliseconds Service::grant(std::int32_t timeout) const {
  const auto least = options_.min_session_timeout.count() > 0 ? options_.min_session_timeout : 2 * options_.tick_time;
  const auto most = options_.max_session_timeout.count() > 0 ? options_.max_session_timeout : 20 * options_.tick_time;
  return std::min(std::max(std::chrono::milliseconds(timeout), least), most);
}

std::string Service::new_password() {
  std::string password(16, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(password.data()), static_cast<int>(password.size())) != 1) return {};
  return password;
}

void Service::look_after_sessions() {
  quotas_->refusals.catch_up();
  for (const auto session : engine_.sessions().expired(monotonic_time())) {
    pipeline_.push(line_of(session), std::make_unique<SessionEnd>(*this, session));
  }
  // No session that is opened later is over before half of the least timeout; those that are there say themselves.
  engine::Moment pause = grant(0) / 2;
  if (const auto due = engine_.sessions().next_look()) pause = std::min(pause, *due - monotonic_time());
  look_later(std::max(pause, kLeastSessionLook), true);
}

// Nobody is ended whose word is here and was not heard yet. But only once in a row: a server that is always late ends sessions, too.
void Service::look_later(engine::Moment pause, bool may_wait) {
  timers_->sessions.expires_after(pause);
  const auto due = monotonic_time() + pause;
  timers_->sessions.async_wait([this, alive = alive_, due, may_wait](const std::error_code& error) {
    if (error || !*alive || stopping_) return;
    if (may_wait && monotonic_time() - due > kLateLook) return look_later(kListenFirst, false);
    look_after_sessions();
  });
}

void Service::look_after_containers(std::size_t from) {
  timers_->containers.expires_after(from == 0 ? options_.container_check_interval : kContainersPause);
  timers_->containers.async_wait([this, alive = alive_, from](const std::error_code& error) {
    if (error || !*alive || stopping_) return;
    if (from > 0 && pipeline_.waiting() > kContainersAtOnce) return look_after_containers(from);
    engine_.advance(monotonic_time());
    for (auto& path : engine_.mortals_due(from, kContainersAtOnce)) {
      pipeline_.push({}, std::make_unique<ContainerEnd>(*this, std::move(path)));
    }
    const auto next = from + kContainersAtOnce;
    look_after_containers(next < engine_.tree().mortals().size() ? next : 0);
  });
}

// Sessions come and go in batches only, and after each of them this is called.
void Service::note_use() {
  if (engine_.sessions().size() > 0) {
    unused_since_.reset();
  } else if (!unused_since_) {
    unused_since_ = monotonic_time();
  }
}

std::optional<engine::Moment> Service::unused_for() const {
  if (!unused_since_ || !connections_.empty() || !pipeline_.idle()) return std::nullopt;
  return monotonic_time() - *unused_since_;
}

void Service::stop(std::function<void()> done) {
  stopping_ = true;
  stopped_ = std::move(done);
  timers_->sessions.cancel();
  timers_->containers.cancel();
  for (auto& [id, connection] : connections_) {
    connection->leaving = true;
    go_on(*connection);
  }
  finish_stop();
}

void Service::finish_stop() {
  if (!stopping_ || !stopped_) return;
  if (!pipeline_.idle() && !pipeline_.stuck()) return;
  drop_all();
  if (snapshotter_ && !pipeline_.stuck()) snapshotter_->take_now();
  std::exchange(stopped_, nullptr)();
}

}  // namespace holdfast::server
