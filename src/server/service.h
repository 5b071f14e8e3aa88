// service.h -- where connections, engine and store meet.
//
// Turns frames into Work, opens, resumes and ends sessions, tells who watches, and looks after what is due: sessions that
// expire, containers that are empty, snapshots. Everything happens in the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/memory_reserve.h"
#include "engine/engine.h"
#include "holdfast/engine.h"
#include "server/client_connection.h"
#include "server/credentials.h"
#include "server/peer.h"
#include "server/pipeline.h"
#include "server/report.h"
#include "server/snapshotter.h"
#include "store/store.h"

namespace holdfast::server {

class Authentication;

class Service final : public Host {
 public:
  // `engine` has been recovered from `store`, which is none if nothing is kept.
  Service(Loop& loop, EngineOptions options, engine::Engine& engine, store::Store* store);
  ~Service() override;

  std::shared_ptr<Quotas> quotas() override { return quotas_; }
  void make_room() override { (void)memory_left(); }
  ConnectionId connected(std::shared_ptr<Peer> peer, Origin origin) override;
  void received(ConnectionId connection, std::string frame) override;
  void disconnected(ConnectionId connection) override;
  void sent(ConnectionId connection) override;

  // What the four-letter word needs.
  Report report(std::string_view word);

  // For how long there has been no session; nothing if there is one, or a connection that might bring one.
  std::optional<engine::Moment> unused_for() const;

  // Takes nothing more, answers what it has taken, takes a snapshot; then `done`.
  void stop(std::function<void()> done);

 private:
  friend class ConnectionWork;
  friend class Handshake;
  friend class ClientRequest;
  friend class EarlyPing;
  friend class Authentication;
  friend class SessionEnd;
  friend class EphemeralsEnd;
  friend class ContainerEnd;

  using ConnectionPtr = std::shared_ptr<ClientConnection>;

  void greet(const ConnectionPtr& connection, std::string_view frame);
  void take(const ConnectionPtr& connection, std::string frame);
  // The line in which its requests wait.
  static LineId line_of(const ClientConnection& connection) {
    return {LineId::Kind::connection, connection.id, connection.origin.source.get()};
  }
  static LineId line_of(wire::SessionId session) {
    return {LineId::Kind::session, static_cast<std::uint64_t>(session)};
  }
  // Nothing is taken from it, but its end is.
  void set_paused(ClientConnection& connection, bool paused);
  // Nothing is taken from it before `until`; then `next`, if it is still there.
  void pause(const ConnectionPtr& connection, std::chrono::steady_clock::time_point until, std::function<void()> next);
  // What may be begun; makes room if clients use too much.
  base::MemoryLeft memory_left();
  // Its requests wait until what clients used that were disconnected is freed. False: none were.
  bool wait_for_room(ClientConnection& connection);
  // Reads from it, or does not.
  void hold_or_go_on(ClientConnection& connection);
  // Says in the log what it did, and ends the connection.
  void refuse(ClientConnection& connection, Refusal why, std::string_view what);
  // Now, or after a pause if its address has failed often.
  void log_in(const ConnectionPtr& connection, std::unique_ptr<Authentication> attempt);
  void try_login(const ConnectionPtr& connection, std::unique_ptr<Work> attempt);
  // Tries those whose turn has come, and looks again for the others.
  void look_at_logins(const std::shared_ptr<Address>& source);
  void look_at_logins_later(const std::shared_ptr<Address>& source, Pace::Clock::time_point when);
  void login_failed(ClientConnection& connection, std::string_view user_and_password);
  void login_succeeded(ClientConnection& connection);
  bool may_open_session(const ClientConnection& connection) const;
  void session_opened(const ClientConnection& connection, wire::SessionId session);
  void session_ended(wire::SessionId session);
  // False: nobody can be known by that.
  bool authenticate(ClientConnection& connection, const std::string& scheme, const wire::Buffer& credentials);
  void answered(std::int64_t latency, bool write, std::size_t size);
  void adopt(ClientConnection& connection, wire::SessionId session, std::chrono::milliseconds timeout);
  void tell(ConnectionId connection, const wire::Event& event);
  // tell(), for the engine to call.
  auto teller() {
    return [this](ConnectionId connection, const wire::Event& event) { tell(connection, event); };
  }
  void served(ClientConnection& connection, std::size_t bytes);
  // If too many of its answers are not read yet.
  void wait_for_reader(ClientConnection& connection);
  void go_on(ClientConnection& connection);
  // Something of its client is here and has not had its turn: it is not silent, we are slow.
  bool is_speaking(wire::SessionId session);
  // A piece of what the end of a session removes. Without memory for it: later.
  engine::Outcome remove_ephemerals(const Turn& turn, wire::SessionId session);
  void end_ephemerals(wire::SessionId session);
  void end_ephemerals_later(wire::SessionId session);
  // What connections left in the engine, a little in each turn of the loop.
  void sweep();
  // Once what was sent is out. The session lives on.
  void drop(ClientConnection& connection);
  void drop_all();
  ClientConnection* connection_of(wire::SessionId session);
  // Another connection speaks for its session.
  bool has_moved(const ClientConnection& connection) const;
  std::chrono::milliseconds grant(std::int32_t timeout) const;
  // Empty: no random bytes are to be had. A password that can be guessed would let other clients take the session over.
  std::string new_password();
  void look_after_sessions();
  void look_later(engine::Moment pause, bool may_wait);
  // From that place on, see engine::Engine::mortals_due().
  void look_after_containers(std::size_t from);
  void finish_stop();
  void note_use();
  void report_quotas(Report& report) const;
  void report_connections(Report& report) const;
  void report_sessions(Report& report) const;
  void report_watches(Report& report) const;
  void report_configuration(Report& report) const;

  struct Timers;

  Loop& loop_;
  const EngineOptions options_;
  const std::shared_ptr<Quotas> quotas_;
  engine::Engine& engine_;
  store::Store* store_;
  const Credentials credentials_;
  Pipeline pipeline_;
  std::unique_ptr<Snapshotter> snapshotter_;
  std::unique_ptr<Timers> timers_;
  std::unordered_map<ConnectionId, ConnectionPtr> connections_;
  std::unordered_map<wire::SessionId, ConnectionId> by_session_;
  std::unordered_map<wire::SessionId, std::shared_ptr<Address>> opened_from_;
  // Sessions of clients that have to log in and never have: they end with their connection, so that who may do nothing leaves nothing.
  std::unordered_set<wire::SessionId> strangers_;
  ConnectionId last_connection_ = 0;
  bool sweeping_ = false;
  bool relieving_ = false;                      // clients were disconnected, and what they used is not freed yet
  std::vector<ConnectionId> waiting_for_room_;  // until then
  std::optional<engine::Moment> unused_since_;  // none while there is a session
  bool stopping_ = false;
  std::function<void()> stopped_;
  Report totals_;  // what only grows
  std::int64_t started_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::server
