// handshake.h -- the first frame of a connection: a new session, or one that is resumed.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "server/connection_table.h"
#include "server/connection_work.h"
#include "server/memory_guard.h"
#include "server/session_registry.h"
#include "wire/records.h"

namespace holdfast::server {

class Handshake final : public ConnectionWork {
 public:
  // What it deals with beside the engine.
  struct Context {
    FlowControl& flow;
    ConnectionTable& connections;
    SessionRegistry& sessions;
    MemoryGuard& memory;
    const engine::Sessions& known;
  };

  Handshake(const Context& context, std::shared_ptr<ClientConnection> connection, wire::ConnectRequest request,
            std::size_t size, engine::Moment received)
      : ConnectionWork(context.flow, std::move(connection), size, received),
        context_(context),
        request_(std::move(request)) {}

  // A new session, or another timeout of one that is there.
  bool writes() const override;
  // As for ZooKeeper, for which the other timeout is no write.
  bool silent() const override { return request_.session != 0; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  void fail(bool unknown) override;

 private:
  // None if there is none, or if the password is another session's.
  const engine::SessionState* resumed() const;
  // Of one that is resumed.
  std::chrono::milliseconds timeout_of(const engine::SessionState& session) const;
  engine::Outcome resume(engine::Engine& engine, const Turn& turn);
  engine::Outcome open(engine::Engine& engine, const Turn& turn);
  // From now on this connection speaks for the session; one that did before is of the past.
  void adopt(wire::SessionId session, std::chrono::milliseconds timeout);

  const Context& context_;
  wire::ConnectRequest request_;
  std::string password_;
  bool turned_away_ = false;  // without an answer
  bool no_memory_ = false;    // for it
};

}  // namespace holdfast::server
