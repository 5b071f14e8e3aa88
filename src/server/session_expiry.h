// session_expiry.h -- finds the sessions of which nothing was heard for too long, when the first may be due.
#pragma once

#include <functional>

#include "engine/sessions.h"
#include "server/alive.h"
#include "server/loop.h"

namespace holdfast::server {

class SessionExpiry {
 public:
  struct Events {
    std::function<void()> looks;                  // before each look
    std::function<void(wire::SessionId)> silent;  // once, unless the engine is told to look at it again
  };

  // No session that is opened later is over before `least`; those that are there say themselves.
  SessionExpiry(Loop& loop, engine::Sessions& sessions, engine::Moment least, Events events);

  // Looks now, and from then on.
  void start() { look(); }
  void stop() { stopping_ = true; }

 private:
  void look();
  void look_later(engine::Moment pause, bool may_wait);

  Loop& loop_;
  engine::Sessions& sessions_;
  const engine::Moment least_;
  const Events events_;
  bool stopping_ = false;
  Alive alive_;
};

}  // namespace holdfast::server
