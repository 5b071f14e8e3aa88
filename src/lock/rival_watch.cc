#include "lock/rival_watch.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace holdfast::lock {

void RivalWatch::begin() {
  HOLDFAST_ASSERT(state_ == State::asking && listener_ == 0 && rival_seen_, state_);
  listener_ = context_.backend.listen_to_queue(
      queue_,
      [weak = weak_from_this()](const spi::Reply<spi::Listing>& reply) {
        if (const auto self = weak.lock()) self->listed(reply);
      },
      [weak = weak_from_this()](const auto&) {
        if (const auto self = weak.lock()) self->see_rival();
      });
}

void RivalWatch::end() {
  rival_seen_ = nullptr;
  if (listener_ != 0) context_.backend.ignore(std::exchange(listener_, 0));
}

void RivalWatch::listed(const spi::Reply<spi::Listing>& reply) {
  if (state_ != State::asking) return;
  // What is not a ticket keeps no ticket waiting. A ticket that an operator has removed is not alone either.
  const auto tickets = std::count_if(reply.value.begin(), reply.value.end(),
                                     [](const spi::Ticket& each) { return each.mode != spi::Mode::none; });
  if (!reply || tickets != 1 || reply.value.front().id != ticket_) return see_rival();
  state_ = State::alone;
}

void RivalWatch::see_rival() {
  if (state_ == State::rival) return;
  state_ = State::rival;
  if (const auto tell = std::exchange(rival_seen_, nullptr)) tell();
}

}  // namespace holdfast::lock
