// sessions.h -- who is alive.
//
// A session is over when nothing was heard of it for its timeout, never earlier; a beat only notes the time. When each is due for
// a look is kept apart, and may be too early: a session that was heard of since is put off until its real end. A look that was
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

struct Session {
  std::string password;
  std::chrono::milliseconds timeout{0};
  Moment heard{0};
  Moment due{0};  // for the next look: any other look at it is out of date
};

class Sessions {
  using ById = std::unordered_map<wire::SessionId, Session>;

 public:
  // One that was closed, and may be put back.
  using Closed = ById::node_type;

  // Counts as heard of now. Throws std::bad_alloc, and nothing has changed.
  void open(wire::SessionId id, std::string password, std::chrono::milliseconds timeout, Moment now);
  // Nothing if there is none.
  Closed close(wire::SessionId id) noexcept { return sessions_.extract(id); }
  void put_back(Closed closed) noexcept;

  Session* find(wire::SessionId id);
  const Session* find(wire::SessionId id) const { return const_cast<Sessions*>(this)->find(id); }
  // A resumed session may come with another timeout.
  void set_timeout(wire::SessionId id, std::chrono::milliseconds timeout) noexcept;
  // Not before then; it may have been heard of since.
  void heard_of(wire::SessionId id, Moment now);
  // After a restart: no client could be heard of while the engine was down.
  void all_heard_of(Moment now);

  // Those whose end has come; without memory for the list, not all of them. They stay until they are closed, and are not named again
  // unless looked at again.
  std::vector<wire::SessionId> expired(Moment now);
  // When its end has come, or then if that is later.
  void look_again(wire::SessionId id, Moment earliest = Moment{0});
  // Before this moment expired() names no session; none if there is no session.
  std::optional<Moment> next_look() const;

  std::size_t size() const { return sessions_.size(); }
  // Little more than sessions, however often they come and go.
  std::size_t looks_due() const { return due_.size(); }
  const std::unordered_map<wire::SessionId, Session>& all() const { return sessions_; }

 private:
  void look_at(wire::SessionId id, Session& session, Moment when) noexcept;
  void drop_stale_looks() noexcept;

  using Due = std::pair<Moment, wire::SessionId>;

  ById sessions_;
  std::vector<Due> due_;  // a heap, the earliest first
};

}  // namespace holdfast::engine
