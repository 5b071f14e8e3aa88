// engine.h -- the state machine: nodes, sessions and watches, and what each request does to them.
//
// No clock, no file, no socket, no thread: time and order come in, what changed goes out. A request passes in two halves, so that
// no client is told anything before it is safe on disk, and can be taken back if it cannot be made safe:
//
//   execute()     nodes and sessions change; the answer is worked out; no client knows yet
//      |
//      |  the caller writes Outcome::transaction to its log
//      |
//   settle()      watches are set and fire; answer and events go out      or      take_back(), the last one first
//
// Memory may end in the first half: then std::bad_alloc is thrown, and nothing has changed. Taking back takes none, nor does telling
// those who watch: whatever was executed can be ended either way. Only to set watches takes memory in the second half; if there is none,
// the connection has to go, which takes its watches with it.
//
// The order of settling is that of executing. Watches change in the second half only: so requests that ask for or about watches
// are answered there.
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

// What came of a request.
struct Outcome {
  wire::Zxid zxid = 0;  // of the last write up to here
  wire::Code code = wire::Code::ok;
  std::string body{};  // of the answer
  Transaction transaction{};
  std::vector<NodeUndo> undo{};                               // of the changes, as far as they are about nodes
  Sessions::Closed closed{};                                  // the session that it ended
  std::optional<std::chrono::milliseconds> timeout_before{};  // of a session that has another one now
  // By who sets its watches again, path by path: nothing where nothing was missed.
  std::vector<std::optional<wire::EventType>> missed{};
  std::size_t events = 0;  // about as many as will be told when it settles

  bool changed() const { return !transaction.changes.empty(); }
};

// Where events go.
using Tell = std::function<void(ConnectionId connection, const wire::Event& event)>;

struct Rules {
  bool ttl_nodes = false;
  std::size_t path_depth = 1'000;
  std::size_t answer = 64 << 20;
  // Of all together, and of one connection. Besides, no connection may have more than what is left for all others: so however
  // many are greedy, the one that asks for few gets them.
  std::size_t watches = 10'000'000;
  std::size_t watches_per_session = 1'000'000;
  std::size_t watched_bytes = std::size_t{1} << 30;  // of paths, which may be as long as a frame
  // What one request may make known: a multi can change one node forty thousand times, and each change is told to all who watch.
  // This many take about a tenth of a second.
  std::size_t events = 1'000'000;
  // What one request may change, in bytes: a list of permissions may be much longer than what was asked for ("auth").
  std::size_t transaction = std::size_t{4} << 20;
  // To name the ephemerals of one session, which is what its end does in the log.
  std::size_t ephemeral_bytes = std::size_t{32} << 20;
  // The end of a session removes so many at a time, and tells of about so many: a few milliseconds' worth.
  std::size_t removed_at_once = 1'000;
};

class Engine {
 public:
  // `key`: 16 bytes that clients do not know, so that they cannot choose names that fall into one place of a table.
  explicit Engine(Rules rules = {}, base::HashKey key = {})
      : rules_(rules), tree_(key), data_watches_(key), child_watches_(key) {}

  // It is later now. Never earlier, and no jumps: TTL nodes count by this, while their mtime is the wall clock's.
  void advance(Moment now) { tree_.advance(now); }

  // Connections. A watch and a proven identity last as long as these.
  void connect(ConnectionId connection, Identities identities);
  // False: it has proven more than enough already.
  bool add_identity(ConnectionId connection, wire::Id identity);
  const Identities& identities(ConnectionId connection) const;
  // Nothing is told to it any more. What it leaves is removed by sweep().
  void disconnect(ConnectionId connection);
  // Removes what connections left, at most so many watches; false if nothing is left.
  bool sweep(std::size_t most);

  // Sessions. Opening and closing are writes like others; the rest is not kept.
  Outcome open_session(wire::Zxid zxid, std::int64_t time, wire::SessionId session, std::string password,
                       std::chrono::milliseconds timeout, Moment now);
  // It is resumed with another timeout, on which it counts from now on.
  Outcome set_timeout(wire::Zxid zxid, std::int64_t time, wire::SessionId session, std::chrono::milliseconds timeout);
  // Ephemerals whose session is over: what its end has not removed yet, a piece at a time.
  Outcome remove_ephemerals(wire::Zxid zxid, std::int64_t time, wire::SessionId session);
  bool has_ephemerals(wire::SessionId session) const { return tree_.ephemerals(session) != nullptr; }
  // Sessions that are over and have ephemerals still: a crash came in between.
  std::vector<wire::SessionId> orphaned() const;
  Sessions& sessions() { return sessions_; }
  const Sessions& sessions() const { return sessions_; }

  // `zxid` is a new one for a write (wire::is_write), the last one for a read.
  Outcome execute(const Client& client, wire::Zxid zxid, std::int64_t time, const wire::Request& request);
  void settle(const Client& client, const wire::Request& request, Outcome& outcome, const Tell& tell);
  void take_back(Outcome& outcome) noexcept;

  // Containers that were used and are empty, and TTL nodes that no client changed for long enough: to be removed by requests
  // of our own. Looks at `count` of them from the place `from` on, of tree().mortals().
  std::vector<std::string> mortals_due(std::size_t from = 0, std::size_t count = ~std::size_t{0}) const;

  // Recovery. False: these bytes are none of ours.
  bool restore(std::string_view snapshot_record, Moment now);
  bool replay(std::string_view log_record, Moment now);
  // A snapshot, in as many steps as one likes; see Tree::next(). Nothing when all has been walked over. Each step only while all
  // that was executed is settled: what is in the snapshot cannot be taken back.
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
  // So that settle_changes() needs none.
  void make_room_to_tell(const Outcome& outcome);
  void settle_changes(Outcome& outcome, const Tell& tell);
  // Who was told, or withheld, until the table fires again. Those who were told before are not told twice.
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
  wire::Event telling_{};                           // with room for the path of every change that is to be settled
  std::vector<wire::SessionId> snapshot_sessions_;  // not yet written
};

}  // namespace holdfast::engine
