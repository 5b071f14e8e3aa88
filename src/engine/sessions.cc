#include "engine/sessions.h"

#include <algorithm>

namespace holdfast::engine {

void Sessions::open(wire::SessionId id, std::string password, std::chrono::milliseconds timeout, Moment now) {
  const auto [at, added] = sessions_.insert_or_assign(id, Session{std::move(password), timeout, now});
  look_at(id, at->second, now + timeout);
}

void Sessions::look_at(wire::SessionId id, Session& session, Moment when) {
  session.due = when;
  due_.emplace(when, id);
}

Session* Sessions::find(wire::SessionId id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

void Sessions::set_timeout(wire::SessionId id, std::chrono::milliseconds timeout) {
  Session* session = find(id);
  if (session == nullptr) return;
  session->timeout = timeout;
  const auto end = session->heard + timeout;
  if (end < session->due) look_at(id, *session, end);
}

void Sessions::heard_of(wire::SessionId id, Moment now) {
  if (Session* session = find(id)) session->heard = std::max(session->heard, now);
}

void Sessions::all_heard_of(Moment now) {
  for (auto& [id, session] : sessions_) session.heard = now;
}

void Sessions::look_again(wire::SessionId id, Moment earliest) {
  if (Session* session = find(id)) look_at(id, *session, std::max(earliest, session->heard + session->timeout));
}

std::optional<Moment> Sessions::next_look() const {
  if (due_.empty()) return std::nullopt;
  return due_.top().first;
}

std::vector<wire::SessionId> Sessions::expired(Moment now) {
  std::vector<wire::SessionId> over;
  while (!due_.empty() && due_.top().first <= now) {
    const auto [when, id] = due_.top();
    due_.pop();
    Session* session = find(id);
    if (session == nullptr || session->due != when) continue;
    const auto end = session->heard + session->timeout;
    if (end > now) {
      look_at(id, *session, end);
    } else {
      session->due = Moment::max();
      over.push_back(id);
    }
  }
  return over;
}

}  // namespace holdfast::engine
