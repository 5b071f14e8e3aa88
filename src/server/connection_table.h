// connection_table.h -- the connections that are there, and what passes over all of them.
//
//   add()    the engine knows it, and it can be found by its id
//   drop()   the engine forgets it, its peer closes once what was sent is out, and it is not found any more
//
// Work under way may keep a connection that was dropped: what is sent to it goes nowhere, and dropping it again does nothing.
//
// Everything happens in the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "engine/engine.h"
#include "server/client_connection.h"
#include "server/peer.h"
#include "server/refusals.h"
#include "server/statistics.h"

namespace holdfast::server {

class ConnectionTable {
 public:
  using Pointer = std::shared_ptr<ClientConnection>;

  // `dropped`: for the others that know connections to forget this one. The table has it until that returns.
  ConnectionTable(engine::Engine& engine, Refusals& refusals, std::function<void(ClientConnection&)> dropped);

  // `established`: milliseconds since the epoch. Throws std::bad_alloc, and nothing has changed.
  Pointer add(std::shared_ptr<Peer> peer, Origin origin, std::int64_t established);
  // None if it is gone.
  Pointer find(ConnectionId id) const;
  std::size_t size() const noexcept { return connections_.size(); }
  bool empty() const noexcept { return connections_.empty(); }
  // `f` drops none.
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [id, connection] : connections_) f(*connection);
  }

  // The session lives on.
  void drop(ClientConnection& connection);
  void drop_all();
  // Says in the log what the client did, counts it, and drops the connection.
  void refuse(ClientConnection& connection, Refusal why, std::string_view what);

  TrafficStatistics& traffic() noexcept { return traffic_; }
  const TrafficStatistics& traffic() const noexcept { return traffic_; }
  // What each connection counts for itself begins anew.
  void reset_each();

 private:
  engine::Engine& engine_;
  Refusals& refusals_;
  const std::function<void(ClientConnection&)> dropped_;
  std::unordered_map<ConnectionId, Pointer> connections_;
  ConnectionId last_ = 0;
  TrafficStatistics traffic_;
};

}  // namespace holdfast::server
