#include "server/session_expiry.h"

#include <algorithm>
#include <utility>

namespace holdfast::server {
namespace {

// Between two looks at the sessions, however many are due.
constexpr engine::Moment kLeastPause = std::chrono::milliseconds(1);
// A look at the sessions that is later than this is late because of us: the process was stopped, or something took long.
constexpr engine::Moment kLateLook = std::chrono::milliseconds(100);
// For what has come meanwhile to be read.
constexpr engine::Moment kListenFirst = std::chrono::milliseconds(200);

}  // namespace

SessionExpiry::SessionExpiry(Loop& loop, engine::Sessions& sessions, engine::Moment least, Events events)
    : loop_(loop), sessions_(sessions), least_(least), events_(std::move(events)) {}

void SessionExpiry::look() {
  events_.looks();
  for (const auto session : sessions_.expired(loop_.now())) events_.silent(session);
  auto pause = least_;
  if (const auto due = sessions_.next_look()) pause = std::min(pause, *due - loop_.now());
  look_later(std::max(pause, kLeastPause), true);
}

// No session is ended whose client's word is here and was not heard yet. But only once in a row: a server that is always late ends
// sessions, too.
void SessionExpiry::look_later(engine::Moment pause, bool may_wait) {
  const auto due = loop_.now() + pause;
  loop_.at(due, alive_.guard([this, due, may_wait] {
    if (stopping_) return;
    if (may_wait && loop_.now() - due > kLateLook) return look_later(kListenFirst, false);
    look();
  }));
}

}  // namespace holdfast::server
