#include "lock/placement.h"

#include <fmt/format.h>

#include <utility>

#include "base/assert.h"
#include "base/uuid.h"

namespace holdfast::lock {

using spi::Status;

Placement::Placement(Context& context, std::shared_ptr<Owner> owner, const Wanted& wanted, std::string card)
    : context_(context),
      owner_(std::move(owner)),
      wanted_(wanted),
      card_(std::move(card)),
      retry_(context, [this](Refusal refusal) {
        const auto told = owner_;  // release() drops owner_
        told->not_placed(std::move(refusal));
      }) {}

RetryLoop::Step Placement::step(void (Placement::*member)()) {
  return [self = shared_from_this(), member] { (self.get()->*member)(); };
}

void Placement::start() { retry_.when_connected(step(&Placement::enqueue)); }

void Placement::enqueue() {
  HOLDFAST_ASSERT(state_ != State::ended && state_ != State::placed && owner_, state_);
  HOLDFAST_ASSERT(places_.empty() && found_.empty(), places_.size(), found_.size());
  while (uids_.size() < wanted_.tickets()) {
    uids_.push_back(wanted_.of_ticket(uids_.size()).may_keep ? base::random_keepers_uuid() : base::random_uuid());
  }
  HOLDFAST_ASSERT(uids_.size() == wanted_.tickets(), uids_.size(), wanted_.tickets());
  ++episode_;
  state_ = State::enqueueing;
  asked_in_ = context_.session.id();
  std::vector<spi::Request> requests;
  for (std::size_t i = 0; i < wanted_.tickets(); ++i) {
    const auto& request = wanted_.of_ticket(i);
    requests.push_back({.queue = request.queue,
                        .uid = uids_[i],
                        .mode = request.mode,
                        .card = card_,
                        .in_place_of = request.in_place_of});
  }
  context_.backend.enqueue(requests, [self = shared_from_this(), owner = owner_, episode = episode_, uids = uids_,
                                      asked_in = asked_in_](const auto& reply) {
    if (!self->is_current(episode)) return self->sweep_late(reply, uids, asked_in);
    self->on_enqueued(reply);
  });
}

// The reply to an enqueue() for which nothing waits any more: removes its tickets.
void Placement::sweep_late(const spi::Reply<Placed>& reply, const std::vector<std::string>& uids,
                           spi::SessionId asked_in) {
  for (std::size_t i = 0; i < reply.value.size(); ++i) context_.sweeper.remove(queue_of(i), reply.value[i].place);
  if (!reply.value.empty() || reply.status != Status::unknown) return;
  for (std::size_t i = 0; i < uids.size(); ++i) context_.sweeper.remove_if_made(queue_of(i), uids[i], asked_in);
}

void Placement::sweep_if_made(std::size_t first) {
  for (auto i = first; i < uids_.size(); ++i) context_.sweeper.remove_if_made(queue_of(i), uids_[i], asked_in_);
}

void Placement::on_enqueued(const spi::Reply<Placed>& reply) {
  HOLDFAST_ASSERT(state_ == State::enqueueing && owner_, state_);
  const auto answered = reply.value.size();
  if (answered != wanted_.tickets() && (reply || answered > 0)) {
    state_ = State::detached;
    sweep_if_made(0);
    return owner_->not_placed(
        {Errc::refused, fmt::format("the store has answered for {} of {} tickets", answered, wanted_.tickets())});
  }
  if (!reply.value.empty()) return on_placed(reply);
  if (reply.status == Status::unknown) {
    state_ = State::unsure;
    return retry_.again(step(&Placement::find), reply.detail);
  }
  state_ = State::detached;
  if (reply.status == Status::absent) {
    return owner_->not_placed(
        {Errc::session_lost, "the hold in whose place this one was to come is gone: " + reply.detail});
  }
  retry_.after(reply.status, reply.detail, step(&Placement::enqueue));
}

// They were made together or not at all, so the first that is absent answers for all, unless an operator removed just that one.
void Placement::find() {
  if (asked_in_ != context_.session.id()) return again();  // whatever was made then died with its session
  const auto next = found_.size();
  HOLDFAST_ASSERT(state_ == State::unsure && next < uids_.size(), state_, next, uids_.size());
  context_.backend.find(queue_of(next), uids_[next],
                        [self = shared_from_this(), owner = owner_, episode = episode_](auto reply) {
                          if (self->is_current(episode)) self->on_found(std::move(reply));
                        });
}

void Placement::on_found(spi::Reply<spi::Enqueued> reply) {
  HOLDFAST_ASSERT(state_ == State::unsure && owner_, state_);
  if (reply) {
    found_.push_back(std::move(reply.value));
    if (found_.size() < wanted_.tickets()) return find();
    return on_placed({Status::ok, {}, std::exchange(found_, {})});
  }
  const auto found = std::exchange(found_, {});
  if (reply.status == Status::expired) state_ = State::detached;
  if (reply.status != Status::absent) {
    return retry_.after(reply.status, reply.detail,
                        step(state_ == State::detached ? &Placement::enqueue : &Placement::find));
  }
  if (wanted_.tickets() == 1) return enqueue();  // it was never made
  for (std::size_t i = 0; i < found.size(); ++i) context_.sweeper.remove(queue_of(i), found[i].place);
  sweep_if_made(found.size() + 1);
  again();
}

void Placement::on_placed(const spi::Reply<Placed>& reply) {
  state_ = State::placed;
  places_.clear();
  for (const auto& each : reply.value) places_.push_back(each.place);
  if (places_.front().session != context_.session.id()) return again();
  HOLDFAST_ASSERT(owner_ != nullptr);
  retry_.progress();
  owner_->placed(reply);
}

void Placement::again() {
  HOLDFAST_ASSERT(state_ != State::ended && owner_, state_);
  if (places_.size() > 1) {  // one of them is gone, the others are not
    for (std::size_t i = 0; i < places_.size(); ++i) context_.sweeper.remove(queue_of(i), places_[i]);
  }
  ++episode_;
  retry_.cancel();
  state_ = State::detached;
  uids_.clear();
  found_.clear();
  places_.clear();
  start();
}

void Placement::release(Sweeper::Done done) {
  if (state_ == State::unsure) sweep_if_made(0);
  if (state_ == State::placed) {
    const auto left = std::make_shared<std::size_t>(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      context_.sweeper.remove(queue_of(i), places_[i], [left, done] {
        if (--*left == 0 && done) done();
      });
    }
    done = {};
  }
  // What is being enqueued is swept when its reply comes.
  ++episode_;
  retry_.cancel();
  state_ = State::ended;
  owner_.reset();
  if (done) done();
}

}  // namespace holdfast::lock
