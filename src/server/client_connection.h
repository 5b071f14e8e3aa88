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

#include "base/assert.h"
#include "engine/engine.h"
#include "server/addresses.h"
#include "server/fair_queue.h"
#include "server/peer.h"
#include "server/report.h"
#include "server/work.h"

namespace holdfast::server {

// What a request costs beside its bytes while it waits and is under way.
inline constexpr std::size_t kRequestCost = 512;

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
  std::shared_ptr<Account> account{};
  bool held = false;
  bool unread = false;          // so many answers are not read yet that its requests wait
  bool paused = false;          // it waits for its turn to open a session or to log in
  bool login_is_taken = false;  // of its address' pace; given back if it is right
  // Waits to be tried, and stands there in the line of its address until it goes to the pipeline, or the connection is dropped.
  std::unique_ptr<Work> waiting_login{};
  LoginLine::iterator place_in_login_line{};
  bool trusted = false;  // it has resumed a session none of whose logins has failed: its own need not wait
  ConnectionReport report{};
  std::int64_t* sent_to_all = nullptr;

  // A frame of this size waits or is under way...
  void took(std::size_t size) {
    ++report.queued;
    unserved += size + kRequestCost;
    account->charge(size + kRequestCost);
  }
  // ...until it was served.
  void served(std::size_t size) {
    HOLDFAST_ASSERT(report.queued > 0 && unserved >= size + kRequestCost, id, report.queued, unserved, size);
    --report.queued;
    unserved -= size + kRequestCost;
    account->release(size + kRequestCost);
  }

  void send(std::string frame) {
    if (!peer) return;
    ++report.sent;
    ++*sent_to_all;
    peer->send(std::move(frame));
  }
};

// The line in which its requests wait.
inline LineId line_of(const ClientConnection& connection) {
  return {LineId::Kind::connection, connection.id, connection.origin.source.get()};
}
// That of what the end of a session takes.
inline LineId line_of_session(wire::SessionId session) {
  return {LineId::Kind::session, static_cast<std::uint64_t>(session)};
}

}  // namespace holdfast::server
