// service.h -- where connections, engine and store meet.
//
// Takes frames from connections and makes Work of them; begins and stops the parts that do the rest:
//
//   ConnectionTable   which connections there are          FlowControl     which of them wait
//   SessionRegistry   which of them speaks for a session   SessionExpiry   which sessions are silent
//   Logins            whose password may be tried          MemoryGuard     what may be begun
//   EventDelivery     what watches saw                     Cleanup         what no client removes
//   Pipeline          all work, in its turn                Snapshotter     all nodes in a file
//
// None of them knows the service. Everything happens in the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "holdfast/engine.h"
#include "server/alive.h"
#include "server/authentication.h"
#include "server/cleanup.h"
#include "server/client_request.h"
#include "server/connection_table.h"
#include "server/event_delivery.h"
#include "server/flow_control.h"
#include "server/handshake.h"
#include "server/logins.h"
#include "server/loop.h"
#include "server/memory_guard.h"
#include "server/peer.h"
#include "server/pipeline.h"
#include "server/report.h"
#include "server/session_end.h"
#include "server/session_expiry.h"
#include "server/session_registry.h"
#include "server/snapshotter.h"
#include "store/store.h"

namespace holdfast::server {

class Service final : public Host {
 public:
  // `engine` has been recovered from `store`, which is none if nothing is kept.
  Service(Loop& loop, EngineOptions options, engine::Engine& engine, store::Store* store);
  ~Service() override;

  std::shared_ptr<Quotas> quotas() override { return quotas_; }
  void make_room() override { (void)memory_.left(); }
  ConnectionId connected(std::shared_ptr<Peer> peer, Origin origin) override;
  void received(ConnectionId connection, std::string frame) override;
  void disconnected(ConnectionId connection) override;
  void sent(ConnectionId connection) override;

  // What every part has counted.
  Statistics statistics() const;
  // What the four-letter word needs.
  Report report(std::string_view word);

  // For how long there has been no session; nothing if there is one, or a connection that might bring one.
  std::optional<engine::Moment> unused_for() const;

  // Takes nothing more, answers what it has taken, takes a snapshot; then `done`.
  void stop(std::function<void()> done);

 private:
  using ConnectionPtr = ConnectionTable::Pointer;

  void greet(const ConnectionPtr& connection, std::string_view frame);
  void take(const ConnectionPtr& connection, std::string frame);
  void answer_sasl(ClientConnection& connection, std::int32_t xid, wire::Reader& body);
  void log_in(const ConnectionPtr& connection, std::int32_t xid, wire::Reader& body, std::size_t size);
  void push(const ConnectionPtr& connection, std::unique_ptr<Work> work);
  void end_session(wire::SessionId session, SessionEnd::Why why);
  void dropped(ClientConnection& connection);
  void rested();
  void stuck(bool stuck);
  void note_use();
  void finish_stop();

  void list_connections(Report& report) const;
  void list_sessions(Report& report) const;
  void list_watches(Report& report) const;
  ConfigurationReport configuration() const;

  Loop& loop_;
  const EngineOptions options_;
  const std::shared_ptr<Quotas> quotas_;
  engine::Engine& engine_;
  Pipeline pipeline_;
  ConnectionTable connections_;
  SessionRegistry sessions_;
  FlowControl flow_;
  MemoryGuard memory_;
  EventDelivery events_;
  Cleanup cleanup_;
  Logins logins_;
  SessionExpiry expiry_;
  const Handshake::Context handshakes_;
  const ClientRequest::Context requests_;
  const Authentication::Context authentications_;
  const SessionEnd::Context session_ends_;
  std::unique_ptr<Snapshotter> snapshotter_;
  std::optional<engine::Moment> unused_since_;  // none while there is a session
  bool stopping_ = false;
  std::function<void()> stopped_;
  const std::int64_t started_;
  Alive alive_;
};

}  // namespace holdfast::server
