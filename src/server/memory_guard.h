// memory_guard.h -- what may be begun while memory is short.
//
//   left()          nodes and watches      sessions and connections   clients
//   enough          are made               are made                   stay
//   little          are refused            are made                   go if they use more than a share of the reserve
//   least           are refused            are refused                go, the greediest first
//
// So a client can always come and delete, and what has begun ends: either it is done or it is as if it had never been asked for.
//
// Everything happens in the loop.
#pragma once

#include <vector>

#include "base/memory_reserve.h"
#include "server/alive.h"
#include "server/connection_table.h"
#include "server/flow_control.h"
#include "server/loop.h"
#include "server/quotas.h"

namespace holdfast::server {

class MemoryGuard {
 public:
  MemoryGuard(Loop& loop, Quotas& quotas, const ConnectionTable& connections, FlowControl& flow)
      : loop_(loop), quotas_(quotas), connections_(connections), flow_(flow) {}

  // What may be begun; makes room if clients use too much.
  base::MemoryLeft left();
  // Its requests wait until what clients used that were disconnected is freed. False: none were.
  bool wait_for_room(ClientConnection& connection);

 private:
  Loop& loop_;
  Quotas& quotas_;
  const ConnectionTable& connections_;
  FlowControl& flow_;
  bool relieving_ = false;             // clients were disconnected, and what they used is not freed yet
  std::vector<ConnectionId> waiting_;  // until then
  Alive alive_;
};

}  // namespace holdfast::server
