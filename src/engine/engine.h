// engine.h -- the state machine: nodes, sessions and watches, and what each request does to them.
//
// No clock, no file, no socket, no thread: time and order come in, changes go out. A request has two halves, so that no client is told
// anything before it is safe on disk, and everything can be taken back if it cannot be made safe:
//
//   execute()     nodes and sessions change; the answer is computed; no client knows yet
//      |
//      |  the caller writes Outcome::transaction to its log
//      |
//   settle()      watches are set and fire; answer and events go out      or      take_back(), the last one first
//
// Memory may run out in the first half: then std::bad_alloc is thrown, and nothing has changed. Neither take_back() nor telling watchers
// allocates, so everything that was executed can end either way. In the second half only setting watches allocates; if that fails, the
// connection has to be closed, and its watches with it.
//
// Requests settle in the order in which they were executed. Watches change only in the second half, so requests that set watches or
// ask about them are answered there.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/acl.h"
#include "engine/change.h"
#include "engine/sessions.h"
#include "engine/tree.h"
#include "engine/watches.h"
#include "wire/protocol.h"
#include "wire/records.h"
#include "wire/request.h"

namespace holdfast::engine {

// The client that asks. Requests of the engine's own (expiry, empty containers) have none.
struct Client {
  wire::SessionId session = 0;
  ConnectionId connection = 0;
};

// The result of a request.
struct Outcome {
  wire::Zxid zxid = 0;  // of the last write up to here
  wire::Code code = wire::Code::ok;
  std::string body{};  // of the answer
  Transaction transaction{};
  std::vector<NodeUndo> undo{};                               // of the changes to nodes
  Sessions::Closed closed{};                                  // the session that it ended
  std::optional<std::chrono::milliseconds> timeout_before{};  // of a session whose timeout was changed
  // For a client that sets its watches again, path by path: nothing where it missed nothing.
  std::vector<std::optional<wire::EventType>> missed{};
  std::size_t events = 0;  // about how many will be sent when it settles

  bool changed() const { return !transaction.changes.empty(); }
};

// Where events go.
using Tell = std::function<void(ConnectionId connection, const wire::Event& event)>;

struct Rules {
  bool ttl_nodes = false;
  std::size_t path_depth = 1'000;
  std::size_t answer = 64 << 20;
  // Of all connections, and of one. In addition no connection may have more than what is left for all others: so however
  // many are greedy, the one that asks for few gets them.
  std::size_t watches = 10'000'000;
  std::size_t watches_per_session = 1'000'000;
  std::size_t watched_bytes = std::size_t{1} << 30;  // of paths, which may be as long as a frame
  // How many events one request may cause: a multi can change one node forty thousand times, and all watchers are told each time.
  // This many take about a tenth of a second.
  std::size_t events = 1'000'000;
  // How many bytes one request may change: a list of permissions may become much longer than the request ("auth").
  std::size_t transaction = std::size_t{4} << 20;
  // The length of all names of one session's ephemerals, because its end writes them to the log.
  std::size_t ephemeral_bytes = std::size_t{32} << 20;
  // The end of a session removes this many nodes at a time, and sends about as many events: a few milliseconds' work.
  std::size_t removed_at_once = 1'000;
};

class Engine {
 public:
  // `key`: 16 bytes that clients do not know, so that they cannot choose names that collide in a table.
  explicit Engine(Rules rules = {}, base::HashKey key = {})
      : rules_(rules), tree_(key), data_watches_(key), child_watches_(key) {}

  // Sets the present time, which never goes back and never jumps: TTL nodes count by it, while mtime comes from the wall clock.
  void advance(Moment now) { tree_.advance(now); }

  // Connections. Watches and proven identities last as long as their connection.
  void connect(ConnectionId connection, Identities identities);
  // False: it has proven as many as it may.
  bool add_identity(ConnectionId connection, wire::Id identity);
  const Identities& identities(ConnectionId connection) const;
  // No event is sent to it any more. sweep() removes what it leaves.
  void disconnect(ConnectionId connection);
  // Removes at most that many watches of closed connections; false if none is left.
  bool sweep(std::size_t most);

  // Sessions. Opening and closing are writes as any other; nothing else about them is stored.
  Outcome open_session(wire::Zxid zxid, std::int64_t time, wire::SessionId session, std::string password,
                       std::chrono::milliseconds timeout, Moment now);
  // The session is resumed with another timeout, which counts from now on.
  Outcome set_timeout(wire::Zxid zxid, std::int64_t time, wire::SessionId session, std::chrono::milliseconds timeout);
  // Removes the ephemerals that the end of a session has not removed yet, a piece at a time.
  Outcome remove_ephemerals(wire::Zxid zxid, std::int64_t time, wire::SessionId session);
  bool has_ephemerals(wire::SessionId session) const { return tree_.ephemerals(session) != nullptr; }
  // Sessions that have ended and still have ephemerals, because of a crash in between.
  std::vector<wire::SessionId> orphaned() const;
  Sessions& sessions() { return sessions_; }
  const Sessions& sessions() const { return sessions_; }

  // `zxid` is a new one for a write (wire::is_write), the last one for a read.
  Outcome execute(const Client& client, wire::Zxid zxid, std::int64_t time, const wire::Request& request);
  void settle(const Client& client, const wire::Request& request, Outcome& outcome, const Tell& tell);
  void take_back(Outcome& outcome) noexcept;

  // Containers that were used and are empty, and TTL nodes that no client has changed for their time: the engine's own requests remove
  // them. Looks at `count` of tree().mortals(), starting with number `from`.
  std::vector<std::string> mortals_due(std::size_t from = 0, std::size_t count = ~std::size_t{0}) const;

  // Recovery. False: these bytes are not a record of a snapshot.
  bool restore(std::string_view snapshot_record, Moment now);
  bool replay(std::string_view log_record, Moment now);
  // A snapshot, in any number of steps; see Tree::next(). Nothing at the end. Each step only while every executed request has settled:
  // what is in the snapshot cannot be taken back.
  void begin_snapshot();
  std::optional<std::string> next_snapshot_record();

  const Rules& rules() const { return rules_; }
  const Tree& tree() const { return tree_; }
  const WatchTable& data_watches() const { return data_watches_; }
  const WatchTable& child_watches() const { return child_watches_; }

 private:
  void execute(const Client& client, const wire::Request& request, Outcome& outcome);
  void close_session(wire::SessionId session, Outcome& outcome);
  void remove_some(wire::SessionId session, Outcome& outcome);
  std::size_t watchers_of(const Change& change) const;
  // Allocates everything that settle_changes() will need.
  void make_room_to_tell(const Outcome& outcome);
  void settle_changes(Outcome& outcome, const Tell& tell);
  // The watchers that were told, or not allowed to know; valid until the table fires again. `told_before` are not told twice.
  const WatchTable::Told& fire(WatchTable& table, std::string_view path, wire::EventType type,
                               const AclTable::Entry* acl, const Tell& tell, const WatchTable::Told* told_before);
  bool may_watch(ConnectionId connection, const WatchTable::Use& more) const;
  std::vector<std::optional<wire::EventType>> missed_by(const wire::SetWatches& request) const;
  void set_watches(ConnectionId connection, const wire::SetWatches& request, const Outcome& outcome, const Tell& tell);
  void add_watch(ConnectionId connection, const std::string& path, WatchMode mode);
  wire::Code check_watches(ConnectionId connection, const wire::CheckWatches& request);

  Rules rules_;
  Tree tree_;
  Sessions sessions_;
  WatchTable data_watches_;
  WatchTable child_watches_;
  std::unordered_map<ConnectionId, Identities> connections_;
  wire::Event telling_{};                           // with room for the path of every change that will settle
  std::vector<wire::SessionId> snapshot_sessions_;  // not yet written
};

}  // namespace holdfast::engine
