#include "lock/delay.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace holdfast::lock {

using spi::Status;

namespace {

constexpr auto kPause = std::chrono::milliseconds(200);

bool has_ticket(const spi::Listing& queue, std::string_view mark) {
  const auto uid = mark.substr(spi::kMarkPrefix.size());
  return std::any_of(queue.begin(), queue.end(), [&](const spi::Ticket& ticket) {
    return ticket.mode != spi::Mode::none && ticket.id.find(uid) != std::string::npos;
  });
}

}  // namespace

Delay::Delay(Means& means, const Claim& claim, Clock::duration delay)
    : means_(means),
      queue_(claim.stands().front().queue),
      place_(claim.places().front()),
      mark_(std::string(spi::kMarkPrefix) + claim.uid()),
      delay_(delay) {}

void Delay::wait(Told told) {
  told_ = std::move(told);
  leave_mark();
}

void Delay::lift() {
  stop();
  means_.sweeper.remove(queue_, {.ticket = {.id = mark_}, .session = place_.session});
}

void Delay::stop() { told_ = {}; }

void Delay::leave_mark() {
  if (!told_.may_hold) return;
  const auto path = fmt::format("{}/{}", means_.backend.path(queue_), mark_);
  means_.backend.commit({{queue_, place_.ticket.id}}, {{.what = spi::Change::What::create, .path = path}},
                        [self = shared_from_this()](const auto& reply) {
                          switch (reply.status) {
                            case Status::ok: return self->look();
                            // Our ticket was removed; the claim notices, and we are stopped.
                            case Status::absent: return;
                            // Maybe it is there, from a try whose reply was lost.
                            case Status::denied: self->trouble_ = reply.detail; return self->look();
                            case Status::closed: return self->end(Refusal{Errc::cancelled, "the client was closed"});
                            default: return self->again_later(&Delay::leave_mark);
                          }
                        });
}

void Delay::look() {
  if (!told_.may_hold) return;
  means_.backend.list(queue_, [self = shared_from_this()](const auto& reply) {
    if (!reply) {
      if (reply.status == Status::denied) return self->end(Refusal{Errc::refused, reply.detail});
      return self->again_later(&Delay::look);
    }
    const auto is_ours = [&](const spi::Ticket& ticket) { return ticket.id == self->mark_; };
    if (std::none_of(reply.value.begin(), reply.value.end(), is_ours)) {
      return self->end(Refusal{Errc::refused, "no mark can be left for the lock delay: " + self->trouble_});
    }
    std::vector<std::string> marks;
    for (const auto& ticket : reply.value) {
      if (ticket.id.starts_with(spi::kMarkPrefix) && !has_ticket(reply.value, ticket.id)) marks.push_back(ticket.id);
    }
    if (marks.empty()) return self->end(std::nullopt);
    self->wait_out(std::move(marks));
  });
}

void Delay::wait_out(std::vector<std::string> marks) {
  if (told_.must_wait) std::exchange(told_.must_wait, {})();
  if (!told_.may_hold) return;
  means_.executor.at(means_.executor.now() + delay_, [self = shared_from_this(), marks = std::move(marks)] {
    if (!self->told_.may_hold) return;
    for (const auto& mark : marks) {
      self->means_.sweeper.remove(self->queue_, {.ticket = {.id = mark}, .session = self->place_.session});
    }
    self->end(std::nullopt);
  });
}

void Delay::again_later(void (Delay::*step)()) {
  means_.executor.at(means_.executor.now() + kPause, [self = shared_from_this(), step] { (self.get()->*step)(); });
}

void Delay::end(std::optional<Refusal> refusal) {
  const auto told = std::exchange(told_, {});
  if (told.may_hold) told.may_hold(std::move(refusal));
}

}  // namespace holdfast::lock
