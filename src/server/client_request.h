// client_request.h -- what a client asks for once it has a session.
//
// It is read when its turn comes, so that reading it counts as its client's time. Two kinds are done in pieces: the end of a session with
// many ephemerals, and setWatches with many paths. A multiRead is not: as in ZooKeeper, no write comes between its reads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/cleanup.h"
#include "server/connection_table.h"
#include "server/connection_work.h"
#include "server/event_delivery.h"
#include "server/loop.h"
#include "server/memory_guard.h"
#include "server/pipeline.h"
#include "server/session_registry.h"
#include "wire/request.h"

namespace holdfast::server {

class ClientRequest final : public ConnectionWork {
 public:
  // What it deals with beside the engine.
  struct Context {
    Loop& loop;
    const Pipeline& pipeline;
    FlowControl& flow;
    ConnectionTable& connections;
    SessionRegistry& sessions;
    MemoryGuard& memory;
    Cleanup& cleanup;
    EventDelivery& events;
    Refusals& refusals;
  };

  // `frame`: with the header, of which `xid` and `op` are.
  ClientRequest(const Context& context, std::shared_ptr<ClientConnection> connection, std::int32_t xid, wire::Op op,
                std::string frame, engine::Moment received)
      : ConnectionWork(context.flow, std::move(connection), frame.size(), received),
        context_(context),
        xid_(xid),
        op_(op),
        frame_(std::move(frame)) {}

  engine::Moment likely_cost() const override;
  engine::Moment weigh(const engine::Engine& engine) override;
  bool writes() const override { return is_write(request()); }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  bool unfinished() const override { return more_; }
  void fail(bool unknown) override;

 private:
  // What is asked for, or the piece of it that is next. Nothing that is known, if there is no memory to read it.
  const wire::Request& request() const;
  static std::vector<wire::Request> read(wire::Op op, std::string_view frame);
  engine::Outcome execute_piece(engine::Engine& engine, const Turn& turn);
  engine::Outcome refuse_for_memory(const Turn& turn);
  // What the answer takes until it is sent.
  void keep(std::size_t bytes);
  void answer(const engine::Outcome& outcome);
  void drop() { context_.connections.drop(*connection_); }
  void refuse(Refusal why, std::string_view what) { context_.connections.refuse(*connection_, why, what); }

  const Context& context_;
  std::int32_t xid_;
  wire::Op op_;
  mutable std::string frame_;                    // until it is read
  mutable std::vector<wire::Request> pieces_{};  // the last one first; most requests are one
  mutable bool unreadable_ = false;              // there was no memory to read it
  bool closing_ = false;                         // the session is over, and only its ephemerals are left
  bool more_ = false;                            // to be done
  bool postponed_ = false;                       // until there is room for it
  std::size_t kept_ = 0;                         // of the answer, until it is sent
};

}  // namespace holdfast::server
