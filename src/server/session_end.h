// session_end.h -- the end of a session of which nothing was heard for too long, or that of a stranger that has left. Ephemerals of which
// there are too many for one piece of work are Cleanup's.
#pragma once

#include "server/cleanup.h"
#include "server/connection_table.h"
#include "server/event_delivery.h"
#include "server/flow_control.h"
#include "server/loop.h"
#include "server/session_registry.h"
#include "server/work.h"

namespace holdfast::server {

class SessionEnd final : public Work {
 public:
  enum class Why { silent, stranger };
  // What it deals with.
  struct Context {
    Loop& loop;
    engine::Sessions& known;
    ConnectionTable& connections;
    SessionRegistry& sessions;
    FlowControl& flow;
    Cleanup& cleanup;
    EventDelivery& events;
  };

  SessionEnd(const Context& context, wire::SessionId session, Why why)
      : context_(context), session_(session), why_(why) {}

  engine::Moment weigh(const engine::Engine& engine) override;
  bool writes() const override { return true; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  // The session is there again, and is to expire again.
  void fail(bool unknown) override;

 private:
  // What its client sent is here and was not heard yet.
  bool is_speaking() const;

  const Context& context_;
  wire::SessionId session_;
  Why why_;
};

}  // namespace holdfast::server
