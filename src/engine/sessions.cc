#include "engine/sessions.h"

namespace holdfast::engine {

void Sessions::open(wire::SessionId id, std::string password, std::chrono::milliseconds timeout, Moment now) {
  sessions_.insert_or_assign(id, Session{std::move(password), timeout, now});
  due_.emplace(now + timeout, id);
}

Session* Sessions::find(wire::SessionId id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

void Sessions::set_timeout(wire::SessionId id, std::chrono::milliseconds timeout) {
  Session* session = find(id);
  if (session == nullptr || session->timeout == timeout) return;
  const bool sooner = timeout < session->timeout;
  session->timeout = timeout;
  if (sooner) due_.emplace(session->heard + timeout, id);
}

void Sessions::heard_of(wire::SessionId id, Moment now) {
  if (Session* session = find(id)) session->heard = now;
}

void Sessions::all_heard_of(Moment now) {
  for (auto& [id, session] : sessions_) session.heard = now;
}

void Sessions::look_again(wire::SessionId id) {
  if (const Session* session = find(id)) due_.emplace(session->heard + session->timeout, id);
}

std::vector<wire::SessionId> Sessions::expired(Moment now) {
  std::vector<wire::SessionId> over;
  while (!due_.empty() && due_.top().first <= now) {
    const auto id = due_.top().second;
    due_.pop();
    const Session* session = find(id);
    if (session == nullptr) continue;
    const auto end = session->heard + session->timeout;
    if (end > now) {
      due_.emplace(end, id);
    } else {
      over.push_back(id);
    }
  }
  return over;
}

}  // namespace holdfast::engine
