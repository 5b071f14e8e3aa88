// watches.h -- who wants to be told of which node.
//
// A watch belongs to a connection and goes with it. There are two tables, as in ZooKeeper: one for what happens to a node, one for
// what happens to its children. What exactly:
//
//   change            data table              children table
//   node created      created                 the parent's: children changed
//   node removed      deleted                 deleted, unless told by the other; the parent's: children changed
//   data set          data changed            -
//
//   kind              fires                   told of
//   one-shot          once                    its path
//   persistent        always                  its path
//   recursive         always                  its path and all below; never "children changed"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "wire/protocol.h"
#include "wire/records.h"

namespace holdfast::engine {

using ConnectionId = std::uint64_t;

enum class WatchMode : std::uint8_t { one_shot, persistent, recursive };

class WatchTable {
 public:
  struct Watcher {
    ConnectionId connection;
    WatchMode mode;
  };

  // There is one per path and connection; the last mode holds.
  void add(std::string_view path, ConnectionId connection, WatchMode mode);
  bool remove(std::string_view path, ConnectionId connection);
  void remove_all(ConnectionId connection);
  // As ZooKeeper answers it: somebody's watch on that path is enough.
  bool contains(std::string_view path) const { return by_path_.contains(path); }
  // Who is to be told, each once, in the order of connections. One-shot watches are used up.
  std::vector<ConnectionId> fire(std::string_view path, wire::EventType type);

  std::size_t size() const { return size_; }
  // Of all paths that are watched.
  std::size_t bytes() const { return bytes_; }
  std::size_t path_count() const { return by_path_.size(); }
  std::size_t connection_count() const { return by_connection_.size(); }
  const auto& by_path() const { return by_path_; }
  const auto& by_connection() const { return by_connection_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  // Sorted by connection.
  using Watchers = std::vector<Watcher>;
  using ByPath = std::unordered_map<std::string, Watchers, Hash, std::equal_to<>>;

  void forget(const std::string* path, ConnectionId connection);
  void erase(ByPath::iterator at);
  void fire_at(ByPath::iterator at, bool at_the_node, wire::EventType type, std::vector<ConnectionId>& told);

  ByPath by_path_;
  std::unordered_map<ConnectionId, std::unordered_set<const std::string*>> by_connection_;  // keys of by_path_
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::size_t recursive_ = 0;
};

}  // namespace holdfast::engine
