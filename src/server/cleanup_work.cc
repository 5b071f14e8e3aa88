#include "server/cleanup_work.h"

#include <new>

#include "engine/cost.h"
#include "server/cleanup.h"

namespace holdfast::server {

using engine::Outcome;

engine::Moment EphemeralsEnd::weigh(const engine::Engine& engine) { return likely_cost_of_end(engine, session_); }

Outcome EphemeralsEnd::execute(engine::Engine& engine, const Turn& turn) {
  auto outcome = cleanup_.remove_ephemerals(turn, session_);
  more_ = outcome.changed() && engine.has_ephemerals(session_);
  return outcome;
}

void EphemeralsEnd::settle(engine::Engine& engine, Outcome& outcome) {
  engine.settle({}, wire::CloseSession{}, outcome, events_.teller());
}

void EphemeralsEnd::fail(bool) {
  more_ = false;
  cleanup_.end_ephemerals_later(session_);
}

Outcome ContainerEnd::execute(engine::Engine& engine, const Turn& turn) {
  try {
    return engine.execute({}, turn.zxid, turn.time, request_);
  } catch (const std::bad_alloc&) {  // it is looked for again
    return {.zxid = turn.zxid, .code = wire::Code::system_error};
  }
}

void ContainerEnd::settle(engine::Engine& engine, Outcome& outcome) {
  engine.settle({}, request_, outcome, events_.teller());
}

}  // namespace holdfast::server
