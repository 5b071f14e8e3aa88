#include "server/timeout_list.h"

namespace holdfast::server {

TimeoutList::Wait TimeoutList::begin(Handler& handler) {
  const auto wait = entries_.insert(entries_.end(), Entry{Clock::now() + wait_, &handler});
  arm();
  return wait;
}

void TimeoutList::end(Wait wait) {
  entries_.erase(wait);
  // An alarm for a wait that has ended is left as it is, but the last one switches it off: an io_context that has
  // nothing else to do may end.
  if (entries_.empty()) {
    timer_.cancel();
    armed_ = false;
  }
}

void TimeoutList::arm() {
  if (armed_ || entries_.empty()) return;
  armed_ = true;
  timer_.expires_at(entries_.front().until);
  timer_.async_wait([weak = std::weak_ptr(self_)](const std::error_code& error) {
    if (const auto self = weak.lock(); self && !error) (*self)->ring();
  });
}

void TimeoutList::ring() {
  const auto alive = std::weak_ptr(self_);
  armed_ = false;
  const auto now = Clock::now();
  while (!entries_.empty() && entries_.front().until <= now) {
    Handler& handler = *entries_.front().handler;
    entries_.pop_front();
    handler.timed_out();
    if (alive.expired()) return;  // the last handler took this with it
  }
  arm();
}

}  // namespace holdfast::server
