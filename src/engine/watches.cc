#include "engine/watches.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "base/assert.h"

namespace holdfast::engine {
namespace {

auto place_of(auto& watchers, ConnectionId connection) {
  return std::lower_bound(watchers.begin(), watchers.end(), connection,
                          [](const auto& watcher, ConnectionId id) { return watcher.connection < id; });
}

}  // namespace

WatchTable::WatchTable(const base::HashKey& key) : key_(key) { shards_.fill(ByPath(0, Hash{key})); }

WatchTable::ByConnection::iterator WatchTable::owner(ConnectionId connection) {
  if (const auto found = by_connection_.find(connection); found != by_connection_.end()) return found;
  const auto connections = by_connection_.size() + 1;
  if (connections > told_.capacity()) told_.reserve(2 * connections);
  const auto all = connections + gone_.size();
  if (static_cast<float>(all) > static_cast<float>(gone_.bucket_count()) * gone_.max_load_factor())
    gone_.reserve(2 * all);
  HOLDFAST_ASSERT(told_.capacity() >= connections, told_.capacity(), connections);
  HOLDFAST_ASSERT(!gone_.contains(connection), connection);
  return by_connection_.try_emplace(connection).first;
}

void WatchTable::add(std::string_view path, ConnectionId connection, WatchMode mode) {
  const auto where = hashed(path);
  auto& table = shard(where);
  const auto mine = owner(connection);
  auto found = table.end();
  try {
    found = table.find(where);
    if (found == table.end()) {
      found = table.emplace(std::string(path), Watchers{}).first;
      bytes_ += path.size();
    }
    auto& watchers = found->second;
    if (watchers.size() == watchers.capacity()) watchers.reserve(std::max<std::size_t>(1, 2 * watchers.size()));
    mine->second.paths.insert(&found->first);
  } catch (const std::bad_alloc&) {
    if (mine->second.paths.empty()) by_connection_.erase(mine);
    if (found != table.end() && found->second.empty()) erase(where);
    throw;
  }
  auto& watchers = found->second;
  auto at = place_of(watchers, connection);
  if (at == watchers.end() || at->connection != connection) {
    at = watchers.insert(at, {connection, WatchMode::one_shot});
    mine->second.bytes += path.size();
    ++size_;
  }
  HOLDFAST_ASSERT(mine->second.bytes >= path.size(), connection, mine->second.bytes);
  HOLDFAST_ASSERT(at->mode != WatchMode::recursive || recursive_ > 0, connection);
  if (at->mode == WatchMode::recursive) --recursive_;
  if (mode == WatchMode::recursive) ++recursive_;
  at->mode = mode;
}

bool WatchTable::remove(std::string_view path, ConnectionId connection) {
  const auto where = hashed(path);
  auto& table = shard(where);
  const auto found = table.find(where);
  if (found == table.end()) return false;
  auto& watchers = found->second;
  const auto at = place_of(watchers, connection);
  if (at == watchers.end() || at->connection != connection) return false;
  HOLDFAST_ASSERT(at->mode != WatchMode::recursive || recursive_ > 0, connection);
  if (at->mode == WatchMode::recursive) --recursive_;
  watchers.erase(at);
  forget(&found->first, connection);
  if (watchers.empty()) erase(where);
  return true;
}

// `path` may be a view of the key itself.
void WatchTable::erase(const Hashed& path) {
  HOLDFAST_ASSERT(bytes_ >= path.path.size(), bytes_, path.path.size());
  bytes_ -= path.path.size();
  auto& table = shard(path);
  const auto found = table.find(path);
  HOLDFAST_ASSERT(found != table.end() && found->second.empty(), path.path);
  table.erase(found);
}

void WatchTable::forget(const std::string* path, ConnectionId connection) {
  HOLDFAST_ASSERT(size_ > 0, connection);
  --size_;
  auto& owners = is_gone(connection) ? gone_ : by_connection_;
  const auto found = owners.find(connection);
  HOLDFAST_ASSERT(found != owners.end(), connection, *path);
  const auto erased = found->second.paths.erase(path);
  HOLDFAST_ASSERT(erased == 1 && found->second.bytes >= path->size(), connection, *path, found->second.bytes);
  found->second.bytes -= path->size();
  if (found->second.paths.empty()) owners.erase(found);
}

void WatchTable::abandon(ConnectionId connection) noexcept {
  auto mine = by_connection_.extract(connection);
  if (!mine) return;
  // Ids are not reused, and owner() has made buckets for all.
  const auto kept = gone_.insert(std::move(mine));
  HOLDFAST_ASSERT(kept.inserted, connection);
}

std::size_t WatchTable::sweep(std::size_t most) {
  std::size_t swept = 0;
  for (; swept < most && !gone_.empty(); ++swept) {
    const auto& [connection, owned] = *gone_.begin();
    HOLDFAST_ASSERT(!owned.paths.empty(), connection);
    const bool was_there = remove(**owned.paths.begin(), connection);
    HOLDFAST_ASSERT(was_there, size_);
  }
  return swept;
}

bool WatchTable::contains(std::string_view path) const {
  const auto where = hashed(path);
  const auto found = shard(where).find(where);
  if (found == shard(where).end()) return false;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](const Watcher& watcher) { return !is_gone(watcher.connection); });
}

std::size_t WatchTable::path_count() const {
  return std::accumulate(shards_.begin(), shards_.end(), std::size_t{0},
                         [](std::size_t sum, const ByPath& each) { return sum + each.size(); });
}

WatchTable::Use WatchTable::use(ConnectionId connection) const {
  const auto found = by_connection_.find(connection);
  return found == by_connection_.end() ? Use{} : Use{found->second.paths.size(), found->second.bytes};
}

// From the root down, so that a path as long as a frame with a thousand levels is read once, not a thousand times.
template <class F>
void WatchTable::visit(std::string_view path, F f) const {
  const auto look = [&](const Hashed& where, bool at_the_node) {
    if (const auto at = shard(where).find(where); at != shard(where).end()) f(at->second, at_the_node);
  };
  if (recursive_ > 0 && path != "/") {
    look(hashed("/"), false);
    base::SipHash hash(key_);
    for (std::size_t from = 0, slash = path.find('/', 1); slash != std::string_view::npos;
         from = slash, slash = path.find('/', slash + 1)) {
      hash.add(path.substr(from, slash - from));
      look({path.substr(0, slash), hash.value()}, false);
    }
  }
  look(hashed(path), true);
}

std::size_t WatchTable::watchers(std::string_view path) const {
  std::size_t count = 0;
  visit(path, [&](const Watchers& watchers, bool) { count += watchers.size(); });
  return count;
}

bool WatchTable::is_first(ConnectionId connection) noexcept {
  const auto found = by_connection_.find(connection);
  return found != by_connection_.end() && std::exchange(found->second.told_by, fired_) != fired_;
}

const WatchTable::Told& WatchTable::fire(std::string_view path, wire::EventType type) noexcept {
  told_.clear();
  ++fired_;
  bool any_used_up = false;
  visit(path, [&](const Watchers& watchers, bool at_the_node) {
    for (const auto& watcher : watchers) {
      const bool fires =
          watcher.mode == WatchMode::recursive ? type != wire::EventType::node_children_changed : at_the_node;
      if (at_the_node && watcher.mode == WatchMode::one_shot) any_used_up = true;
      if (!fires || is_gone(watcher.connection)) continue;
      // Without recursive watches this is the only path, and each watcher is there once.
      if (recursive_ > 0 && !is_first(watcher.connection)) continue;
      HOLDFAST_ASSERT(told_.size() < told_.capacity(), told_.size(), by_connection_.size());
      told_.push_back(watcher.connection);
    }
  });
  if (recursive_ > 0) std::sort(told_.begin(), told_.end());
  if (any_used_up) use_up(hashed(path));
  return told_;
}

// The one-shot watches of that path.
void WatchTable::use_up(const Hashed& path) {
  auto& table = shard(path);
  const auto at = table.find(path);
  HOLDFAST_ASSERT(at != table.end(), path.path);
  auto& watchers = at->second;
  for (const auto& watcher : watchers) {
    if (watcher.mode == WatchMode::one_shot) forget(&at->first, watcher.connection);
  }
  std::erase_if(watchers, [](const Watcher& watcher) { return watcher.mode == WatchMode::one_shot; });
  if (watchers.empty()) erase(path);
}

}  // namespace holdfast::engine
