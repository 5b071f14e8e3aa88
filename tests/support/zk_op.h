// zk_op.h -- ZooKeeper's operations by number (ZooDefs.OpCode of 3.8).
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::testing {

enum class Op : std::int32_t {
  notification = 0,
  create = 1,
  delete_node = 2,  // "delete" on the wire's side of things; a keyword here
  exists = 3,
  get_data = 4,
  set_data = 5,
  get_acl = 6,
  set_acl = 7,
  get_children = 8,
  sync = 9,
  ping = 11,
  get_children2 = 12,
  check = 13,
  multi = 14,
  create2 = 15,
  reconfig = 16,
  check_watches = 17,
  remove_watches = 18,
  create_container = 19,
  delete_container = 20,
  create_ttl = 21,
  multi_read = 22,
  auth = 100,
  set_watches = 101,
  sasl = 102,
  get_ephemerals = 103,
  get_all_children_number = 104,
  set_watches2 = 105,
  add_watch = 106,
  who_am_i = 107,
  create_session = -10,
  close_session = -11,
  error = -1,
  // Ours: the handshake carries no operation, being the first frame of a connection.
  connect = -1000,
};

// ZooKeeper's own spelling, such as "getChildren2"; "unknown" for a number that is none.
std::string_view to_string(Op op) noexcept;

// create, create2, createContainer or createTTL.
bool creates_a_node(Op op) noexcept;

// The request begins with a path.
bool names_a_path(Op op) noexcept;

// The request has a watch flag right behind its path.
bool may_watch(Op op) noexcept;

}  // namespace holdfast::testing
