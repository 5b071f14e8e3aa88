// event_delivery.h -- tells clients what their watches saw.
#pragma once

#include "engine/engine.h"
#include "server/connection_table.h"
#include "server/memory_guard.h"

namespace holdfast::server {

class EventDelivery {
 public:
  EventDelivery(ConnectionTable& connections, MemoryGuard& memory) : connections_(connections), memory_(memory) {}

  // Without memory for it, the connection ends.
  void tell(ConnectionId id, const wire::Event& event);
  // tell(), for the engine to call.
  engine::Tell teller() {
    return [this](ConnectionId connection, const wire::Event& event) { tell(connection, event); };
  }

 private:
  ConnectionTable& connections_;
  MemoryGuard& memory_;
};

}  // namespace holdfast::server
