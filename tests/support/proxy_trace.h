// proxy_trace.h -- the record of what passed a FaultProxy.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "zk_op.h"

namespace holdfast::testing {

enum class Direction { to_server, to_client };

struct Seen {
  enum class Kind { request, reply, event };

  std::chrono::steady_clock::time_point at{};  // when it was passed on or dropped, not when it came in
  std::size_t connection = 0;                  // from 1, in order of acceptance
  Kind kind = Kind::request;
  Op op = Op::error;      // of a reply: of the request it answers; of an event: notification
  std::string path{};     // of a reply: of the request it answers
  std::string created{};  // of a successful reply to a create: the node, with its sequence number
  std::int32_t xid = 0;
  std::int32_t err = 0;         // replies only
  std::int64_t zxid = 0;        // replies only
  std::int32_t event_type = 0;  // events only: 1 created, 2 deleted, 3 changed, 4 child
  bool watch = false;           // requests only: asks for a watch
  bool own_node = false;        // requests only: of a node that was made by a create of this connection
  bool delivered = true;        // false: cut or swallowed, the other side never saw it

  Direction direction() const noexcept { return kind == Kind::request ? Direction::to_server : Direction::to_client; }
  bool is_request() const noexcept { return kind == Kind::request; }
  bool is_reply() const noexcept { return kind == Kind::reply; }
  bool is_event() const noexcept { return kind == Kind::event; }
  bool is_ping() const noexcept { return op == Op::ping; }
  bool is_handshake() const noexcept { return op == Op::connect; }
  // What a recipe costs: a request that is neither ping nor handshake.
  bool is_work() const noexcept { return is_request() && !is_ping() && !is_handshake(); }
};

// One line for failure messages: "#2 -> create2 /locks/a xid 4".
std::string to_string(const Seen& seen);

}  // namespace holdfast::testing
