// protocol.h -- the numbers of ZooKeeper's client protocol: operations, error codes, flags, events.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::wire {

enum class Op : std::int32_t {
  notification = 0,
  create = 1,
  remove = 2,  // "delete"
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
  error = -1,
  create_session = -10,
  close_session = -11,
};

enum class Code : std::int32_t {
  ok = 0,
  system_error = -1,
  runtime_inconsistency = -2,
  data_inconsistency = -3,
  connection_loss = -4,  // only inside a client: no answer came
  marshalling_error = -5,
  unimplemented = -6,
  operation_timeout = -7,
  bad_arguments = -8,
  no_node = -101,
  no_auth = -102,
  bad_version = -103,
  no_children_for_ephemerals = -108,
  node_exists = -110,
  not_empty = -111,
  session_expired = -112,
  invalid_acl = -114,
  auth_failed = -115,
  closing = -116,  // only inside a client: it was closed meanwhile
  session_moved = -118,
  not_read_only = -119,
  no_watcher = -121,
  request_timeout = -122,
  reconfig_disabled = -123,
  session_closed_require_auth = -124,
  quota_exceeded = -125,
  throttled = -127,
};

// The numbers of replies that answer no request.
inline constexpr std::int32_t kNotificationXid = -1;
inline constexpr std::int32_t kPingXid = -2;
inline constexpr std::int32_t kAuthXid = -4;
inline constexpr std::int32_t kSetWatchesXid = -8;

// The flags of a create.
enum class CreateMode : std::int32_t {
  persistent = 0,
  ephemeral = 1,
  persistent_sequential = 2,
  ephemeral_sequential = 3,
  container = 4,
  persistent_with_ttl = 5,
  persistent_sequential_with_ttl = 6,
};

constexpr bool is_ephemeral(CreateMode mode) {
  return mode == CreateMode::ephemeral || mode == CreateMode::ephemeral_sequential;
}
constexpr bool is_sequential(CreateMode mode) {
  return mode == CreateMode::persistent_sequential || mode == CreateMode::ephemeral_sequential ||
         mode == CreateMode::persistent_sequential_with_ttl;
}
constexpr bool has_ttl(CreateMode mode) {
  return mode == CreateMode::persistent_with_ttl || mode == CreateMode::persistent_sequential_with_ttl;
}

namespace permission {
inline constexpr std::int32_t kRead = 1;
inline constexpr std::int32_t kWrite = 2;
inline constexpr std::int32_t kCreate = 4;
inline constexpr std::int32_t kDelete = 8;
inline constexpr std::int32_t kAdmin = 16;
inline constexpr std::int32_t kAll = 31;
}  // namespace permission

enum class EventType : std::int32_t {
  node_created = 1,
  node_deleted = 2,
  node_data_changed = 3,
  node_children_changed = 4,
};

// The argument of checkWatches and removeWatches.
enum class WatchKind : std::int32_t { children = 1, data = 2, any = 3 };

// The argument of addWatch.
enum class AddWatchMode : std::int32_t { persistent = 0, persistent_recursive = 1 };

inline constexpr std::int32_t kSyncConnected = 3;  // the state every event carries

}  // namespace holdfast::wire
