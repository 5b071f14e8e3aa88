#include "engine/engine.h"

#include <algorithm>
#include <new>

#include "base/assert.h"
#include "engine/path.h"
#include "engine/reads.h"
#include "engine/writes.h"

namespace holdfast::engine {

using wire::Code;

namespace {

// Answers a request, or leaves the answer to settle().
struct Answerer {
  Reads& reads;
  Writes& writes;
  wire::Writer& answer;

  Code operator()(const wire::SetWatches&) const { return Code::ok; }
  Code operator()(const wire::CheckWatches&) const { return Code::ok; }
  Code operator()(const wire::AddWatch&) const { return Code::ok; }
  Code operator()(const wire::CloseSession&) const { return Code::ok; }
  // As ZooKeeper answers by default.
  Code operator()(const wire::Reconfig&) const { return Code::reconfig_disabled; }
  Code operator()(const wire::Malformed&) const { return Code::marshalling_error; }
  Code operator()(const wire::Unknown&) const { return Code::unimplemented; }
  template <class T>
  Code operator()(const T& request) const {
    if constexpr (std::is_invocable_v<Writes&, const T&, wire::Writer&>) {
      return writes(request, answer);
    } else {
      return reads(request, answer);
    }
  }
};

// The watches that a request may set.
struct WantedWatches {
  using Use = WatchTable::Use;

  static Use one(bool wanted, const std::string& path) { return wanted ? Use{1, path.size()} : Use{}; }
  Use operator()(const wire::Exists& request) const { return one(request.watch, request.path); }
  Use operator()(const wire::GetData& request) const { return one(request.watch, request.path); }
  Use operator()(const wire::GetChildren& request) const { return one(request.watch, request.path); }
  // One watch in each of the two tables.
  Use operator()(const wire::AddWatch& request) const { return {2, 2 * request.path.size()}; }
  Use operator()(const wire::SetWatches& request) const {
    Use all;
    const auto add = [&](const std::vector<std::string>& paths, std::size_t tables) {
      all.watches += tables * paths.size();
      for (const auto& path : paths) all.bytes += tables * path.size();
    };
    add(request.data, 1);
    add(request.exist, 1);
    add(request.children, 1);
    add(request.persistent, 2);
    add(request.recursive, 2);
    return all;
  }
  template <class T>
  Use operator()(const T&) const {
    return {};
  }
};

// Checking a list of this length, whether a watcher may be told, costs as much as one event.
constexpr std::size_t kEntriesPerEvent = 128;

const Identities kNobody{};
// The engine's own requests need no permission.
const Identities kOurselves{{"super", ""}};

}  // namespace

void Engine::connect(ConnectionId connection, Identities identities) {
  connections_[connection] = std::move(identities);
}

bool Engine::add_identity(ConnectionId connection, wire::Id identity) {
  auto& all = connections_[connection];
  if (std::find(all.begin(), all.end(), identity) != all.end()) return true;
  if (all.size() >= kMostIdentities) return false;
  all.push_back(std::move(identity));
  return true;
}

const Identities& Engine::identities(ConnectionId connection) const {
  const auto found = connections_.find(connection);
  return found == connections_.end() ? kNobody : found->second;
}

void Engine::disconnect(ConnectionId connection) {
  connections_.erase(connection);
  data_watches_.abandon(connection);
  child_watches_.abandon(connection);
}

bool Engine::sweep(std::size_t most) {
  const auto swept = data_watches_.sweep(most);
  HOLDFAST_ASSERT(swept <= most, swept, most);
  return swept == most || child_watches_.sweep(most - swept) == most - swept;
}

bool Engine::may_watch(ConnectionId connection, const WatchTable::Use& more) const {
  const auto data = data_watches_.use(connection);
  const auto children = child_watches_.use(connection);
  const auto mine = data.watches + children.watches + more.watches;
  const auto bytes = data.bytes + children.bytes + more.bytes;
  const auto all = data_watches_.size() + child_watches_.size() + more.watches;
  const auto all_bytes = data_watches_.bytes() + child_watches_.bytes() + more.bytes;
  return mine <= rules_.watches_per_session && mine + all <= rules_.watches &&
         bytes + all_bytes <= rules_.watched_bytes;
}

Outcome Engine::open_session(wire::Zxid zxid, std::int64_t time, wire::SessionId session, std::string password,
                             std::chrono::milliseconds timeout, Moment now) {
  Outcome outcome{.zxid = zxid, .transaction = {.zxid = zxid, .time = time}};
  outcome.transaction.changes.emplace_back(
      SessionOpened{session, static_cast<std::int32_t>(timeout.count()), password});
  sessions_.open(session, std::move(password), timeout, now);
  return outcome;
}

Outcome Engine::set_timeout(wire::Zxid zxid, std::int64_t time, wire::SessionId session,
                            std::chrono::milliseconds timeout) {
  Outcome outcome{.zxid = zxid, .transaction = {.zxid = zxid, .time = time}};
  const SessionState* there = sessions_.find(session);
  if (there == nullptr) return outcome;
  outcome.timeout_before = there->timeout;
  // In a log, opening a session again means the same session with the values it has now.
  outcome.transaction.changes.emplace_back(
      SessionOpened{session, static_cast<std::int32_t>(timeout.count()), there->password});
  sessions_.set_timeout(session, timeout);
  return outcome;
}

// The session ends with the first piece, so that no node can be added to the rest, and a crash cannot bring it back.
void Engine::close_session(wire::SessionId session, Outcome& outcome) {
  remove_some(session, outcome);
  outcome.transaction.changes.emplace_back(SessionClosed{session});
  outcome.closed = sessions_.close(session);
}

// Removes the next piece of its ephemerals.
void Engine::remove_some(wire::SessionId session, Outcome& outcome) {
  const auto* mine = tree_.ephemerals(session);
  if (mine == nullptr) return;
  const auto count = std::min(mine->size(), rules_.removed_at_once);
  // Nodes of one transaction were created in the order of the list, transactions in the order of zxids. Paths break the tie.
  std::vector<std::pair<wire::Zxid, std::string>> paths;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count && (i == 0 || bytes < rules_.transaction); ++i) {
    const Node* node = (*mine)[mine->size() - 1 - i];
    paths.emplace_back(node->czxid, node->path());
    bytes += paths.back().second.size();
  }
  std::sort(paths.begin(), paths.end());
  outcome.undo.reserve(paths.size());
  outcome.transaction.changes.reserve(paths.size() + 1);
  for (auto& [czxid, path] : paths) {
    if (outcome.events > rules_.removed_at_once && !outcome.undo.empty()) break;
    const auto& change = outcome.transaction.changes.emplace_back(NodeRemoved{std::move(path)});
    outcome.events += watchers_of(change);
    outcome.undo.push_back(tree_.apply(std::get<NodeRemoved>(change), outcome.zxid, outcome.transaction.time));
  }
}

Outcome Engine::remove_ephemerals(wire::Zxid zxid, std::int64_t time, wire::SessionId session) {
  Outcome outcome{.zxid = zxid, .transaction = {.zxid = zxid, .time = time}};
  try {
    if (sessions_.find(session) == nullptr) remove_some(session, outcome);
    make_room_to_tell(outcome);
  } catch (const std::bad_alloc&) {
    take_back(outcome);
    throw;
  }
  return outcome;
}

std::vector<wire::SessionId> Engine::orphaned() const {
  std::vector<wire::SessionId> all;
  for (const auto& [session, owned] : tree_.ephemerals()) {
    if (sessions_.find(session) == nullptr) all.push_back(session);
  }
  return all;
}

// About how many events settling will send. A watcher that fire() tells once is not counted twice.
std::size_t Engine::watchers_of(const Change& change) const {
  if (const auto* created = std::get_if<NodeCreated>(&change)) {
    const auto told = data_watches_.watchers(created->path) + child_watches_.watchers(parent_or_root(created->path));
    return told * (1 + created->acl.size() / kEntriesPerEvent);
  }
  const auto weight = [&](std::string_view path) {
    const Node* node = tree_.find(path);
    return 1 + (node == nullptr || node->acl == nullptr ? 0 : node->acl->list.size() / kEntriesPerEvent);
  };
  if (const auto* removed = std::get_if<NodeRemoved>(&change)) {
    const auto parent = parent_or_root(removed->path);
    const auto told = data_watches_.watchers(removed->path) + child_watches_.watchers(removed->path);
    const auto above = child_watches_.watchers(parent);
    return (told == 0 ? 0 : told * weight(removed->path)) + (above == 0 ? 0 : above * weight(parent));
  }
  if (const auto* set = std::get_if<DataSet>(&change)) {
    const auto told = data_watches_.watchers(set->path);
    return told == 0 ? 0 : told * weight(set->path);
  }
  return 0;
}

Outcome Engine::execute(const Client& client, wire::Zxid zxid, std::int64_t time, const wire::Request& request) {
  Outcome outcome{.zxid = zxid, .transaction = {.zxid = zxid, .time = time}};
  try {
    execute(client, request, outcome);
    make_room_to_tell(outcome);
  } catch (const std::bad_alloc&) {
    take_back(outcome);
    throw;
  }
  return outcome;
}

void Engine::execute(const Client& client, const wire::Request& request, Outcome& outcome) {
  const bool known = client.session == 0 || sessions_.find(client.session) != nullptr;
  if (!known && !std::holds_alternative<wire::Unknown>(request)) {
    outcome.code = Code::session_expired;
    return;
  }
  if (const auto wanted = std::visit(WantedWatches{}, request);
      wanted.watches > 0 && !may_watch(client.connection, wanted)) {
    outcome.code = Code::system_error;
    return;
  }
  const auto& who = client.session == 0 ? kOurselves : identities(client.connection);
  const Permissions permissions(who);
  Reads reads(tree_, permissions, client.session, rules_.answer);
  Writes writes(tree_, rules_, permissions, client.session, outcome);
  wire::Writer answer;
  outcome.code = std::visit(Answerer{reads, writes, answer}, request);
  for (const auto& change : outcome.transaction.changes) outcome.events += watchers_of(change);
  if (outcome.events > rules_.events) {
    take_back(outcome);
    outcome.events = 0;
    outcome.code = Code::system_error;
    return;
  }
  if (std::holds_alternative<wire::CloseSession>(request)) close_session(client.session, outcome);
  // Now, because the tree will have changed again when this settles.
  if (const auto* set = std::get_if<wire::SetWatches>(&request)) outcome.missed = missed_by(*set);
  if (answer.size() > rules_.answer) {
    outcome.code = Code::marshalling_error;
  } else if (outcome.code == Code::ok) {
    outcome.body = answer.take();
  }
}

void Engine::make_room_to_tell(const Outcome& outcome) {
  std::size_t longest = 0;
  for (const auto& change : outcome.transaction.changes) {
    const auto length = [](const auto& each) -> std::size_t {
      if constexpr (requires { each.path; }) return each.path.size();
      return 0;
    };
    longest = std::max(longest, std::visit(length, change));
  }
  if (longest > telling_.path.capacity()) telling_.path.reserve(longest);
}

void Engine::take_back(Outcome& outcome) noexcept {
  HOLDFAST_ASSERT(outcome.undo.size() <= outcome.transaction.changes.size(), outcome.undo.size(),
                  outcome.transaction.changes.size());
  for (auto each = outcome.undo.rbegin(); each != outcome.undo.rend(); ++each) tree_.take_back(std::move(*each));
  outcome.undo.clear();
  for (const auto& change : outcome.transaction.changes) {
    const auto* opened = std::get_if<SessionOpened>(&change);
    if (opened == nullptr) continue;
    if (outcome.timeout_before) {
      sessions_.set_timeout(opened->session, *outcome.timeout_before);
    } else {
      sessions_.close(opened->session);
    }
  }
  if (outcome.closed) sessions_.put_back(std::move(outcome.closed));
  outcome.transaction.changes.clear();
}

std::vector<std::string> Engine::mortals_due(std::size_t from, std::size_t count) const {
  const auto& all = tree_.mortals();
  std::vector<std::string> due;
  for (auto i = from; i < all.size() && i - from < count; ++i) {
    if (tree_.is_over(*all[i].node)) due.push_back(all[i].node->path());
  }
  return due;
}

}  // namespace holdfast::engine
