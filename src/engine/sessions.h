// sessions.h -- who is alive.
//
// A session is over when nothing was heard of it for its timeout, never earlier; a beat only notes the time. When each is due for
// a look is kept apart, and may be too early: a session that was heard of since is put off until its real end. A look that was
// replaced by an earlier one is dropped when its time comes.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
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
 public:
  // Counts as heard of now.
  void open(wire::SessionId id, std::string password, std::chrono::milliseconds timeout, Moment now);
  void close(wire::SessionId id) { sessions_.erase(id); }

  Session* find(wire::SessionId id);
  const Session* find(wire::SessionId id) const { return const_cast<Sessions*>(this)->find(id); }
  // A resumed session may come with another timeout.
  void set_timeout(wire::SessionId id, std::chrono::milliseconds timeout);
  // Not before then; it may have been heard of since.
  void heard_of(wire::SessionId id, Moment now);
  // After a restart: nobody could be heard of while we were not there.
  void all_heard_of(Moment now);

  // Those whose end has come. They stay until they are closed, and are not named again unless looked at again.
  std::vector<wire::SessionId> expired(Moment now);
  // When its end has come, or then if that is later.
  void look_again(wire::SessionId id, Moment earliest = Moment{0});
  // Before this moment expired() names nobody; none if there is no session.
  std::optional<Moment> next_look() const;

  std::size_t size() const { return sessions_.size(); }
  // Little more than sessions, however often they come and go.
  std::size_t looks_due() const { return due_.size(); }
  const std::unordered_map<wire::SessionId, Session>& all() const { return sessions_; }

 private:
  void look_at(wire::SessionId id, Session& session, Moment when);

  using Due = std::pair<Moment, wire::SessionId>;

  std::unordered_map<wire::SessionId, Session> sessions_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

}  // namespace holdfast::engine
