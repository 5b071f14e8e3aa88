#include "engine/sessions.h"

#include <algorithm>
#include <functional>
#include <new>

#include "base/assert.h"

namespace holdfast::engine {

void Sessions::open(wire::SessionId id, std::string password, std::chrono::milliseconds timeout, Moment now) {
  // One look for each session, one more for this one, and as many that are out of date.
  const auto looks = 2 * (sessions_.size() + 2);
  if (looks > due_.capacity()) due_.reserve(2 * looks);
  const auto [at, added] = sessions_.insert_or_assign(id, SessionState{std::move(password), timeout, now});
  look_at(id, at->second, now + timeout);
}

void Sessions::put_back(Closed closed) noexcept {
  HOLDFAST_ASSERT(!closed.empty());
  const auto put = sessions_.insert(std::move(closed));
  HOLDFAST_ASSERT(put.inserted, put.position->first);
  const auto at = put.position;
  look_at(at->first, at->second, at->second.heard + at->second.timeout);
}

void Sessions::look_at(wire::SessionId id, SessionState& session, Moment when) noexcept {
  // From here on its looks are out of date: at most one look per session is not.
  session.due = Moment::max();
  if (due_.size() == due_.capacity()) drop_stale_looks();
  // open() has made room.
  HOLDFAST_ASSERT(due_.size() < due_.capacity(), due_.size(), sessions_.size());
  session.due = when;
  due_.emplace_back(when, id);
  std::push_heap(due_.begin(), due_.end(), std::greater<>());
}

void Sessions::drop_stale_looks() noexcept {
  std::erase_if(due_, [this](const Due& look) {
    const SessionState* session = find(look.second);
    return session == nullptr || session->due != look.first;
  });
  // A log may open one session again and again at one moment. A sorted list is a valid heap.
  std::sort(due_.begin(), due_.end());
  due_.erase(std::unique(due_.begin(), due_.end()), due_.end());
}

SessionState* Sessions::find(wire::SessionId id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

void Sessions::set_timeout(wire::SessionId id, std::chrono::milliseconds timeout) noexcept {
  SessionState* session = find(id);
  if (session == nullptr) return;
  session->timeout = timeout;
  const auto end = session->heard + timeout;
  if (end < session->due) look_at(id, *session, end);
}

void Sessions::heard_of(wire::SessionId id, Moment now) {
  if (SessionState* session = find(id)) session->heard = std::max(session->heard, now);
}

void Sessions::all_heard_of(Moment now) {
  for (auto& [id, session] : sessions_) session.heard = now;
}

void Sessions::look_again(wire::SessionId id, Moment earliest) {
  if (SessionState* session = find(id)) look_at(id, *session, std::max(earliest, session->heard + session->timeout));
}

std::optional<Moment> Sessions::next_look() const {
  if (due_.empty()) return std::nullopt;
  return due_.front().first;
}

std::vector<wire::SessionId> Sessions::expired(Moment now) {
  std::vector<wire::SessionId> over;
  while (!due_.empty() && due_.front().first <= now) {
    const auto [when, id] = due_.front();
    SessionState* session = find(id);
    const bool stale = session == nullptr || session->due != when;
    const bool ends = !stale && session->heard + session->timeout <= now;
    try {
      if (ends) over.push_back(id);
    } catch (const std::bad_alloc&) {
      return over;
    }
    HOLDFAST_ASSERT(stale || session->due <= now, id, session->due, now);
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    due_.pop_back();
    if (ends) session->due = Moment::max();
    if (!ends && !stale) look_at(id, *session, session->heard + session->timeout);
  }
  return over;
}

}  // namespace holdfast::engine
