// sessions.h -- which sessions are alive.
//
// A session ends when nothing was heard of it for its timeout, never earlier. A beat only notes the time. The time of the next look at
// a session is kept in a heap, and may be too early: a session that was heard of since is put off until its real end. A look that was
// replaced by an earlier one is dropped when its time comes, or when there are too many.
//
// open() makes room for all looks that a session can come to need. So nothing else here takes memory, but for the list that expired()
// returns: no session can be forgotten because there is none.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/moment.h"
#include "wire/records.h"

namespace holdfast::engine {

struct SessionState {
  std::string password;
  std::chrono::milliseconds timeout{0};
  Moment heard{0};
  Moment due{0};  // of the next look; any other look at it is out of date
};

class Sessions {
  using ById = std::unordered_map<wire::SessionId, SessionState>;

 public:
  // A session that was closed, and may be put back.
  using Closed = ById::node_type;

  // The session counts as heard of now. Throws std::bad_alloc, and then nothing has changed.
  void open(wire::SessionId id, std::string password, std::chrono::milliseconds timeout, Moment now);
  // Nothing if there is none.
  Closed close(wire::SessionId id) noexcept { return sessions_.extract(id); }
  void put_back(Closed closed) noexcept;

  SessionState* find(wire::SessionId id);
  const SessionState* find(wire::SessionId id) const { return const_cast<Sessions*>(this)->find(id); }
  // A resumed session may come with another timeout.
  void set_timeout(wire::SessionId id, std::chrono::milliseconds timeout) noexcept;
  // Its end is not before `now` + its timeout; it may have been heard of later already.
  void heard_of(wire::SessionId id, Moment now);
  // After a restart, because no client could be heard of while the engine was down.
  void all_heard_of(Moment now);

  // The sessions whose end has come; not all of them if there is no memory for the list. They stay until they are closed, and are not
  // returned again unless look_again() is called.
  std::vector<wire::SessionId> expired(Moment now);
  // Looks at it when its end has come, or at `earliest` if that is later.
  void look_again(wire::SessionId id, Moment earliest = Moment{0});
  // Before this moment expired() returns no session; nothing if there is no session.
  std::optional<Moment> next_look() const;

  std::size_t size() const { return sessions_.size(); }
  // Little more than the number of sessions, however often they come and go.
  std::size_t looks_due() const { return due_.size(); }
  const std::unordered_map<wire::SessionId, SessionState>& all() const { return sessions_; }

 private:
  void look_at(wire::SessionId id, SessionState& session, Moment when) noexcept;
  void drop_stale_looks() noexcept;

  using Due = std::pair<Moment, wire::SessionId>;

  ById sessions_;
  std::vector<Due> due_;  // a heap, the earliest first
};

}  // namespace holdfast::engine
