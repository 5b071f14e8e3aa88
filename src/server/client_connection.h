// client_connection.h -- what the service knows of one connection.
//
//              connect answered       closed by either side
//   new        -> has a session       -> gone
//   session    -                      -> gone; the session lives on until it expires or is resumed
//
// Work under way keeps it alive; what is sent to one that is gone goes nowhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "engine/engine.h"
#include "server/peer.h"
#include "server/report.h"

namespace holdfast::server {

struct ClientConnection {
  ConnectionId id = 0;
  std::shared_ptr<Peer> peer{};  // none: gone
  Origin origin{};
  bool greeted = false;    // it has sent its first frame
  bool welcomed = false;   // its handshake was answered
  bool leaving = false;    // nothing is taken from it any more
  bool replaced = false;   // another connection spoke for its session since, and may be gone again
  bool authorized = true;  // it has proven what is required
  wire::SessionId session = 0;
  std::chrono::milliseconds timeout{0};
  std::size_t unserved = 0;  // bytes
  bool held = false;
  bool unread = false;  // so many answers are not read yet that its requests wait
  ConnectionReport report{};

  void send(std::string frame) {
    if (!peer) return;
    ++report.sent;
    peer->send(std::move(frame));
  }
};

}  // namespace holdfast::server
