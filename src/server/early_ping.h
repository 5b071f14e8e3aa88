// early_ping.h -- a ping that was sent before the handshake was answered, and so is not to be answered before it either.
#pragma once

#include <memory>
#include <utility>

#include "server/connection_table.h"
#include "server/connection_work.h"
#include "wire/protocol.h"

namespace holdfast::server {

class EarlyPing final : public ConnectionWork {
 public:
  EarlyPing(FlowControl& flow, ConnectionTable& connections, std::shared_ptr<ClientConnection> connection,
            std::size_t size, engine::Moment received)
      : ConnectionWork(flow, std::move(connection), size, received), connections_(connections) {}

  bool writes() const override { return false; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override {
    engine.sessions().heard_of(connection_->session, received_);
    return {.zxid = turn.zxid};
  }
  void settle(engine::Engine&, engine::Outcome& outcome) override {
    served();
    connection_->send(wire::reply_frame(wire::kPingXid, outcome.zxid, wire::Code::ok));
  }
  void fail(bool) override { connections_.drop(*connection_); }

 private:
  ConnectionTable& connections_;
};

}  // namespace holdfast::server
