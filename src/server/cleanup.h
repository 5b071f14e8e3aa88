// cleanup.h -- removes what no client asks to have removed.
//
//   what                                          when
//   watches of connections that are gone          a little in each turn of the loop
//   ephemerals of sessions that are over          with the session's end, or when it had to leave some
//   containers that are empty, TTL nodes          every check interval, a part at a time
//
// Everything happens in the loop.
#pragma once

#include <chrono>
#include <cstddef>

#include "engine/engine.h"
#include "server/alive.h"
#include "server/event_delivery.h"
#include "server/loop.h"
#include "server/pipeline.h"
#include "server/work.h"

namespace holdfast::server {

class Cleanup {
 public:
  Cleanup(Loop& loop, engine::Engine& engine, Pipeline& pipeline, EventDelivery& events,
          std::chrono::milliseconds check_interval);

  // What a life before this one left, and from now on what is due.
  void start();
  // Nothing new is begun.
  void stop() { stopping_ = true; }

  void sweep_watches();

  // A piece of what the end of a session removes. Without memory for it: later.
  engine::Outcome remove_ephemerals(const Turn& turn, wire::SessionId session);
  void end_ephemerals(wire::SessionId session);
  void end_ephemerals_later(wire::SessionId session);

 private:
  // From that place on, see engine::Engine::mortals_due().
  void look_after_containers(std::size_t from);

  Loop& loop_;
  engine::Engine& engine_;
  Pipeline& pipeline_;
  EventDelivery& events_;
  const std::chrono::milliseconds check_interval_;
  bool sweeping_ = false;
  bool stopping_ = false;
  Alive alive_;
};

}  // namespace holdfast::server
