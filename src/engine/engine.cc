#include "engine/engine.h"

#include <algorithm>

#include "engine/reads.h"
#include "engine/writes.h"

namespace holdfast::engine {

using wire::Code;

namespace {

// Answers a request, or knows that it is answered when it settles.
struct Answerer {
  Reads& reads;
  Writes& writes;
  wire::Writer& answer;

  Code operator()(const wire::SetWatches&) const { return Code::ok; }
  Code operator()(const wire::CheckWatches&) const { return Code::ok; }
  Code operator()(const wire::AddWatch&) const { return Code::ok; }
  Code operator()(const wire::CloseSession&) const { return Code::ok; }
  // As ZooKeeper answers unless it was told otherwise.
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

// How many watches a request may set.
struct WantedWatches {
  std::size_t operator()(const wire::Exists& request) const { return request.watch ? 1 : 0; }
  std::size_t operator()(const wire::GetData& request) const { return request.watch ? 1 : 0; }
  std::size_t operator()(const wire::GetChildren& request) const { return request.watch ? 1 : 0; }
  // In both tables.
  std::size_t operator()(const wire::AddWatch&) const { return 2; }
  std::size_t operator()(const wire::SetWatches& request) const {
    return request.data.size() + request.exist.size() + request.children.size() +
           2 * (request.persistent.size() + request.recursive.size());
  }
  template <class T>
  std::size_t operator()(const T&) const {
    return 0;
  }
};

const Identities kNobody{};
// What we ask of ourselves, nobody can forbid.
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
  data_watches_.remove_all(connection);
  child_watches_.remove_all(connection);
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
  const Session* there = sessions_.find(session);
  if (there == nullptr) return outcome;
  outcome.session_before = *there;
  // In a log a session that is opened once more is the same one, with what it has now.
  outcome.transaction.changes.emplace_back(
      SessionOpened{session, static_cast<std::int32_t>(timeout.count()), there->password});
  sessions_.set_timeout(session, timeout);
  return outcome;
}

void Engine::close_session(wire::SessionId session, Outcome& outcome) {
  std::vector<const Node*> nodes;
  if (const auto* ephemerals = tree_.ephemerals(session)) nodes.assign(ephemerals->begin(), ephemerals->end());
  // Of one transaction the order of creation is that of the list; between transactions that of zxids. Paths break the tie.
  std::vector<std::pair<wire::Zxid, std::string>> paths;
  for (const Node* node : nodes) paths.emplace_back(node->czxid, node->path());
  std::sort(paths.begin(), paths.end());
  for (auto& [czxid, path] : paths) {
    NodeRemoved change{std::move(path)};
    outcome.undo.push_back(tree_.apply(change, outcome.zxid, outcome.transaction.time));
    outcome.transaction.changes.emplace_back(std::move(change));
  }
  outcome.transaction.changes.emplace_back(SessionClosed{session});
  if (const Session* there = sessions_.find(session)) outcome.session_before = *there;
  sessions_.close(session);
}

Outcome Engine::execute(const Client& client, wire::Zxid zxid, std::int64_t time, const wire::Request& request) {
  Outcome outcome{.zxid = zxid, .transaction = {.zxid = zxid, .time = time}};
  const bool known = client.session == 0 || sessions_.find(client.session) != nullptr;
  if (!known && !std::holds_alternative<wire::Unknown>(request)) {
    outcome.code = Code::session_expired;
    return outcome;
  }
  if (const auto wanted = std::visit(WantedWatches{}, request); wanted > 0 && !may_watch(wanted)) {
    outcome.code = Code::system_error;
    return outcome;
  }
  const auto& who = client.session == 0 ? kOurselves : identities(client.connection);
  Reads reads(tree_, who, client.session, rules_.answer);
  Writes writes(tree_, rules_, who, client.session, outcome);
  wire::Writer answer;
  outcome.code = std::visit(Answerer{reads, writes, answer}, request);
  if (std::holds_alternative<wire::CloseSession>(request)) close_session(client.session, outcome);
  // Now: once it settles, the tree is further than that.
  if (const auto* set = std::get_if<wire::SetWatches>(&request)) outcome.missed = missed_by(*set);
  if (answer.size() > rules_.answer) {
    outcome.code = Code::marshalling_error;
  } else if (outcome.code == Code::ok) {
    outcome.body = answer.take();
  }
  return outcome;
}

void Engine::take_back(Outcome& outcome) {
  for (auto each = outcome.undo.rbegin(); each != outcome.undo.rend(); ++each) tree_.take_back(std::move(*each));
  outcome.undo.clear();
  for (const auto& change : outcome.transaction.changes) {
    if (const auto* opened = std::get_if<SessionOpened>(&change)) {
      if (outcome.session_before) {
        sessions_.set_timeout(opened->session, outcome.session_before->timeout);
      } else {
        sessions_.close(opened->session);
      }
    }
    if (const auto* closed = std::get_if<SessionClosed>(&change); closed != nullptr && outcome.session_before) {
      sessions_.open(closed->session, outcome.session_before->password, outcome.session_before->timeout,
                     outcome.session_before->heard);
    }
  }
  outcome.transaction.changes.clear();
}

std::vector<std::string> Engine::mortals_due(std::int64_t time) const {
  std::vector<std::string> due;
  for (const Node* node : tree_.mortals()) {
    if (node->is_over(time)) due.push_back(node->path());
  }
  return due;
}

}  // namespace holdfast::engine
