// settling.cc -- the second half of a request: watches are set, and fire.
#include <algorithm>

#include "base/assert.h"
#include "engine/engine.h"
#include "engine/path.h"

namespace holdfast::engine {

using wire::Code;
using wire::EventType;

void Engine::settle(const Client& client, const wire::Request& request, Outcome& outcome, const Tell& tell) {
  settle_changes(outcome, tell);
  if (client.connection == 0 || !connections_.contains(client.connection)) return;
  const auto connection = client.connection;
  if (const auto* exists = std::get_if<wire::Exists>(&request)) {
    // Also if the node does not exist: a client waits for a node like that.
    if (exists->watch && (outcome.code == Code::ok || outcome.code == Code::no_node)) {
      data_watches_.add(exists->path, connection, WatchMode::one_shot);
    }
  }
  if (outcome.code != Code::ok) return;
  if (const auto* get = std::get_if<wire::GetData>(&request)) {
    if (get->watch) data_watches_.add(get->path, connection, WatchMode::one_shot);
  } else if (const auto* list = std::get_if<wire::GetChildren>(&request)) {
    if (list->watch) child_watches_.add(list->path, connection, WatchMode::one_shot);
  } else if (const auto* set = std::get_if<wire::SetWatches>(&request)) {
    set_watches(connection, *set, outcome, tell);
  } else if (const auto* check = std::get_if<wire::CheckWatches>(&request)) {
    outcome.code = check_watches(connection, *check);
  } else if (const auto* add = std::get_if<wire::AddWatch>(&request)) {
    if (add->mode != 0 && add->mode != 1) {
      outcome.code = Code::marshalling_error;
      return;
    }
    add_watch(connection, add->path, add->mode == 1 ? WatchMode::recursive : WatchMode::persistent);
    // An error code as the body: without it the Java client disconnects.
    outcome.body.assign(4, '\0');
  }
}

// An event, its watchers, and the list that may withhold it: a client that may not read a node does not learn of it by a watch
// (CVE-2024-23944).
void Engine::settle_changes(Outcome& outcome, const Tell& tell) {
  // Nodes come first among the changes, sessions after them.
  HOLDFAST_ASSERT(outcome.undo.size() <= outcome.transaction.changes.size(), outcome.undo.size(),
                  outcome.transaction.changes.size());
  for (std::size_t i = 0; i < outcome.undo.size(); ++i) {
    auto& undo = outcome.undo[i];
    const auto& change = outcome.transaction.changes[i];
    if (const auto* created = std::get_if<NodeCreated>(&change)) {
      fire(data_watches_, created->path, EventType::node_created, undo.created, tell, nullptr);
      fire(child_watches_, parent_or_root(created->path), EventType::node_children_changed, undo.readers, tell,
           nullptr);
    } else if (const auto* removed = std::get_if<NodeRemoved>(&change)) {
      HOLDFAST_ASSERT(undo.removed != nullptr, removed->path);
      const auto* acl = undo.removed->acl;
      const auto& told = fire(data_watches_, removed->path, EventType::node_deleted, acl, tell, nullptr);
      fire(child_watches_, removed->path, EventType::node_deleted, acl, tell, &told);
      fire(child_watches_, parent_or_root(removed->path), EventType::node_children_changed, undo.readers, tell,
           nullptr);
    } else if (const auto* set = std::get_if<DataSet>(&change)) {
      fire(data_watches_, set->path, EventType::node_data_changed, undo.readers, tell, nullptr);
    }
  }
  // Not before all have fired: an earlier step still looks at a node that a later step has removed.
  for (auto& undo : outcome.undo) tree_.forget(std::move(undo));
  outcome.undo.clear();
}

const WatchTable::Told& Engine::fire(WatchTable& table, std::string_view path, EventType type,
                                     const AclTable::Entry* acl, const Tell& tell,
                                     const WatchTable::Told* told_before) {
  const auto& told = table.fire(path, type);
  if (told.empty()) return told;
  HOLDFAST_ASSERT(path.size() <= telling_.path.capacity(), path.size(), telling_.path.capacity());
  telling_.type = type;
  telling_.path.assign(path);
  for (const auto connection : told) {
    if (told_before != nullptr && std::binary_search(told_before->begin(), told_before->end(), connection)) continue;
    if (allows(acl, wire::permission::kRead, identities(connection))) tell(connection, telling_);
  }
  return told;
}

// After a reconnect: what happened while the client could not watch is told now, the rest is watched again.
std::vector<std::optional<EventType>> Engine::missed_by(const wire::SetWatches& request) const {
  std::vector<std::optional<EventType>> missed;
  for (const auto& path : request.data) {
    const Node* node = tree_.find(path);
    if (node == nullptr) {
      missed.emplace_back(EventType::node_deleted);
    } else if (node->mzxid > request.relative_zxid) {
      missed.emplace_back(EventType::node_data_changed);
    } else {
      missed.emplace_back();
    }
  }
  for (const auto& path : request.exist) {
    missed.push_back(tree_.find(path) != nullptr ? std::optional(EventType::node_created) : std::nullopt);
  }
  for (const auto& path : request.children) {
    const Node* node = tree_.find(path);
    if (node == nullptr) {
      missed.emplace_back(EventType::node_deleted);
    } else if (node->pzxid > request.relative_zxid) {
      missed.emplace_back(EventType::node_children_changed);
    } else {
      missed.emplace_back();
    }
  }
  return missed;
}

void Engine::set_watches(ConnectionId connection, const wire::SetWatches& request, const Outcome& outcome,
                         const Tell& tell) {
  HOLDFAST_ASSERT(outcome.missed.size() == request.data.size() + request.exist.size() + request.children.size(),
                  outcome.missed.size());
  auto missed = outcome.missed.begin();
  const auto set_again = [&](WatchTable& table, const std::vector<std::string>& paths) {
    for (const auto& path : paths) {
      if (const auto& type = *missed++) {
        tell(connection, {*type, path});
      } else {
        table.add(path, connection, WatchMode::one_shot);
      }
    }
  };
  set_again(data_watches_, request.data);
  set_again(data_watches_, request.exist);
  set_again(child_watches_, request.children);
  for (const auto& path : request.persistent) add_watch(connection, path, WatchMode::persistent);
  for (const auto& path : request.recursive) add_watch(connection, path, WatchMode::recursive);
}

void Engine::add_watch(ConnectionId connection, const std::string& path, WatchMode mode) {
  data_watches_.add(path, connection, mode);
  child_watches_.add(path, connection, mode);
}

Code Engine::check_watches(ConnectionId connection, const wire::CheckWatches& request) {
  if (request.kind < 1 || request.kind > 3) return Code::marshalling_error;
  const auto kind = static_cast<wire::WatchKind>(request.kind);
  const auto look = [&](WatchTable& table) {
    if (request.remove) return table.remove(request.path, connection);
    // ZooKeeper's own check finds nothing for the empty path.
    return !request.path.empty() && table.contains(request.path);
  };
  bool found = false;
  if (kind != wire::WatchKind::data) found |= look(child_watches_);
  if (kind != wire::WatchKind::children) found |= look(data_watches_);
  return found ? Code::ok : Code::no_watcher;
}

}  // namespace holdfast::engine
