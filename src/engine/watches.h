// watches.h -- which connections are told about which nodes.
//
// A watch belongs to a connection and ends with it: immediately as far as a client can tell, and piece by piece in memory, because a
// connection may have had a million. There are two tables, as in ZooKeeper: one for events of a node, one for
// events of its children:
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
//
// Only add() allocates. With the first watch of a connection it makes room for everything that may follow: to be told, and to be removed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/siphash.h"
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
  // Sorted by connection.
  using Watchers = std::vector<Watcher>;
  // Each connection once, in their order.
  using Told = std::vector<ConnectionId>;
  // What one connection watches.
  struct Use {
    std::size_t watches = 0;
    std::size_t bytes = 0;  // of paths
  };

  // `key`: of the hashes of paths.
  explicit WatchTable(const base::HashKey& key = {});

  // There is one watch per path and connection; the last mode counts. Throws std::bad_alloc, and then nothing has changed.
  void add(std::string_view path, ConnectionId connection, WatchMode mode);
  bool remove(std::string_view path, ConnectionId connection);
  // The connection is closed, and is told about nothing any more. sweep() removes its watches.
  void abandon(ConnectionId connection) noexcept;
  // Removes at most that many; returns how many.
  std::size_t sweep(std::size_t most);
  // As in ZooKeeper: any client's watch on that path counts.
  bool contains(std::string_view path) const;
  // The connections to tell; valid until the table fires again. Removes one-shot watches.
  const Told& fire(std::string_view path, wire::EventType type) noexcept;
  // At least as many as fire() would tell.
  std::size_t watchers(std::string_view path) const;

  // Including those that sweep() has not removed yet.
  std::size_t size() const { return size_; }
  // Of all paths that are watched.
  std::size_t bytes() const { return bytes_; }
  std::size_t path_count() const;
  std::size_t connection_count() const { return by_connection_.size(); }
  Use use(ConnectionId connection) const;
  // Calls f(path, watchers) for each path that is watched, in no order.
  template <class F>
  void for_each(F f) const {
    for (const auto& shard : shards_) {
      for (const auto& [path, watchers] : shard) f(path, watchers);
    }
  }

 private:
  // A path whose hash is known.
  struct Hashed {
    std::string_view path;
    std::uint64_t hash;
  };
  struct Hash {
    using is_transparent = void;
    base::HashKey key;
    std::size_t operator()(std::string_view path) const { return base::siphash(key, path); }
    std::size_t operator()(const Hashed& hashed) const { return hashed.hash; }
  };
  struct Equal {
    using is_transparent = void;
    static std::string_view text(std::string_view path) { return path; }
    static std::string_view text(const Hashed& hashed) { return hashed.path; }
    bool operator()(const auto& a, const auto& b) const { return text(a) == text(b); }
  };
  using ByPath = std::unordered_map<std::string, Watchers, Hash, Equal>;
  struct Owned {
    std::unordered_set<const std::string*> paths;  // keys of the shards
    std::size_t bytes = 0;
    std::uint64_t told_by = 0;  // the number of the last time it was told
  };
  using ByConnection = std::unordered_map<ConnectionId, Owned>;
  // A table that grows moves all its entries. One of 64 small tables moves a sixty-fourth: 15 ms, at ten million watches.
  static constexpr std::size_t kShards = 64;

  Hashed hashed(std::string_view path) const { return {path, base::siphash(key_, path)}; }
  const ByPath& shard(const Hashed& path) const { return shards_[path.hash >> 58]; }
  ByPath& shard(const Hashed& path) { return shards_[path.hash >> 58]; }
  // Calls f(watchers, is it the node itself) for the path and, if there are recursive watches, for each path above it.
  template <class F>
  void visit(std::string_view path, F f) const;
  bool is_gone(ConnectionId connection) const { return !gone_.empty() && gone_.contains(connection); }
  // The watches of the connection; makes room for them if these are its first.
  ByConnection::iterator owner(ConnectionId connection);
  // Whether this connection has not been told about this change before.
  bool is_first(ConnectionId connection) noexcept;
  void forget(const std::string* path, ConnectionId connection);
  void erase(const Hashed& path);
  void use_up(const Hashed& path);

  const base::HashKey key_;
  std::array<ByPath, kShards> shards_;
  ByConnection by_connection_;
  ByConnection gone_;  // with buckets for all of by_connection_
  Told told_;          // with room for as many as there are connections
  std::uint64_t fired_ = 0;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::size_t recursive_ = 0;
};

}  // namespace holdfast::engine
