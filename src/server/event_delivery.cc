#include "server/event_delivery.h"

#include <new>

#include "base/memory_reserve.h"

namespace holdfast::server {

void EventDelivery::tell(ConnectionId id, const wire::Event& event) {
  const auto connection = connections_.find(id);
  if (!connection) return;
  // Whatever the engine is about to do: it cannot be undone any more.
  const base::SpareReserve none(base::SpareReserve::Part::none);
  (void)memory_.left();
  try {
    const base::SpareReserve spare(base::SpareReserve::Part::half);
    connection->send(wire::event_frame(event));
  } catch (const std::bad_alloc&) {
    // It sets its watches again with its next connection, and learns what it has missed.
    connections_.refuse(*connection, Refusal::memory, "was to be told of an event, and there is no memory for it");
  }
}

}  // namespace holdfast::server
