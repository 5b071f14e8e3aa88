#include "lock/delay.h"

#include <utility>

namespace holdfast::lock {

using spi::Status;

Delay::Delay(Context& context, const Claim& claim, Clock::duration delay)
    : context_(context),
      queue_(claim.wanted()[0].queue),
      place_(claim.places().front()),
      delay_(delay),
      retry_(context, [this](Refusal refusal) { end(std::move(refusal)); }) {}

void Delay::wait(Told told) {
  told_ = std::move(told);
  leave_mark();
}

void Delay::lift() {
  stop();
  context_.sweeper.remove(queue_,
                          {.ticket = {.id = context_.backend.mark_of(place_.ticket.id)}, .session = place_.session});
}

void Delay::stop() {
  told_ = {};
  retry_.cancel();
}

void Delay::leave_mark() {
  if (!told_.may_hold) return;
  context_.backend.leave_mark(queue_, place_.ticket.id, [self = shared_from_this()](const auto& reply) {
    if (!self->told_.may_hold) return;
    switch (reply.status) {
      case Status::ok: return self->look();
      // Our ticket was removed; the claim notices, and we are stopped.
      case Status::absent: return;
      case Status::denied:
        return self->end(Refusal{Errc::refused, "no mark can be left for the lock delay: " + reply.detail});
      case Status::unsupported: return self->end(Refusal{Errc::unsupported, reply.detail});
      default: return self->retry_.after(reply.status, reply.detail, self->step(&Delay::leave_mark));
    }
  });
}

void Delay::look() {
  if (!told_.may_hold) return;
  context_.backend.abandoned_marks(queue_, [self = shared_from_this()](const auto& reply) {
    if (!self->told_.may_hold) return;
    if (!reply) return self->retry_.after(reply.status, reply.detail, self->step(&Delay::look));
    self->retry_.progress();
    reply.value.empty() ? self->end(std::nullopt) : self->wait_out(reply.value);
  });
}

void Delay::wait_out(std::vector<std::string> marks) {
  if (told_.must_wait) std::exchange(told_.must_wait, {})();
  if (!told_.may_hold) return;
  context_.executor.at(context_.executor.now() + delay_, [self = shared_from_this(), marks = std::move(marks)] {
    if (!self->told_.may_hold) return;
    for (const auto& mark : marks) {
      self->context_.sweeper.remove(self->queue_, {.ticket = {.id = mark}, .session = self->place_.session});
    }
    self->end(std::nullopt);
  });
}

RetryLoop::Step Delay::step(void (Delay::*member)()) {
  return [self = shared_from_this(), member] { (self.get()->*member)(); };
}

void Delay::end(std::optional<Refusal> refusal) {
  const auto told = std::exchange(told_, {});
  if (told.may_hold) told.may_hold(std::move(refusal));
}

}  // namespace holdfast::lock
