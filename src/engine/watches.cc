#include "engine/watches.h"

#include <algorithm>

#include "engine/path.h"

namespace holdfast::engine {
namespace {

auto place_of(auto& watchers, ConnectionId connection) {
  return std::lower_bound(watchers.begin(), watchers.end(), connection,
                          [](const auto& watcher, ConnectionId id) { return watcher.connection < id; });
}

}  // namespace

void WatchTable::add(std::string_view path, ConnectionId connection, WatchMode mode) {
  auto found = by_path_.find(path);
  if (found == by_path_.end()) {
    found = by_path_.emplace(std::string(path), Watchers{}).first;
    bytes_ += path.size();
  }
  auto& watchers = found->second;
  auto at = place_of(watchers, connection);
  if (at == watchers.end() || at->connection != connection) {
    at = watchers.insert(at, {connection, WatchMode::one_shot});
    by_connection_[connection].insert(&found->first);
    ++size_;
  }
  if (at->mode == WatchMode::recursive) --recursive_;
  if (mode == WatchMode::recursive) ++recursive_;
  at->mode = mode;
}

bool WatchTable::remove(std::string_view path, ConnectionId connection) {
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return false;
  auto& watchers = found->second;
  const auto at = place_of(watchers, connection);
  if (at == watchers.end() || at->connection != connection) return false;
  if (at->mode == WatchMode::recursive) --recursive_;
  watchers.erase(at);
  forget(&found->first, connection);
  if (watchers.empty()) erase(found);
  return true;
}

void WatchTable::erase(ByPath::iterator at) {
  bytes_ -= at->first.size();
  by_path_.erase(at);
}

void WatchTable::forget(const std::string* path, ConnectionId connection) {
  --size_;
  const auto found = by_connection_.find(connection);
  found->second.erase(path);
  if (found->second.empty()) by_connection_.erase(found);
}

void WatchTable::remove_all(ConnectionId connection) {
  const auto found = by_connection_.find(connection);
  if (found == by_connection_.end()) return;
  const std::vector<const std::string*> paths(found->second.begin(), found->second.end());
  for (const auto* path : paths) remove(std::string(*path), connection);
}

std::vector<ConnectionId> WatchTable::fire(std::string_view path, wire::EventType type) {
  std::vector<ConnectionId> told;
  if (const auto at = by_path_.find(path); at != by_path_.end()) fire_at(at, true, type, told);
  if (recursive_ > 0) {
    for (auto above = path; above != "/" && !above.empty();) {
      above = parent_of(above);
      const auto at = by_path_.find(above.empty() ? std::string_view("/") : above);
      if (at != by_path_.end()) fire_at(at, false, type, told);
    }
    std::sort(told.begin(), told.end());
    told.erase(std::unique(told.begin(), told.end()), told.end());
  }
  return told;
}

void WatchTable::fire_at(ByPath::iterator at, bool at_the_node, wire::EventType type, std::vector<ConnectionId>& told) {
  auto& watchers = at->second;
  bool any_used_up = false;
  for (const auto& watcher : watchers) {
    if (watcher.mode == WatchMode::recursive) {
      if (type != wire::EventType::node_children_changed) told.push_back(watcher.connection);
    } else if (at_the_node) {
      told.push_back(watcher.connection);
      if (watcher.mode == WatchMode::one_shot) any_used_up = true;
    }
  }
  if (!any_used_up) return;
  for (const auto& watcher : watchers) {
    if (watcher.mode == WatchMode::one_shot) forget(&at->first, watcher.connection);
  }
  std::erase_if(watchers, [](const Watcher& watcher) { return watcher.mode == WatchMode::one_shot; });
  if (watchers.empty()) erase(at);
}

}  // namespace holdfast::engine
