// gate.h -- the local end of a queue: all threads of one client that want one name, in parties.
//
//     gate     [ A; B, C ]  [ D, E ]  [ F ]          one ticket each, in this order
//              exclusive     shared    exclusive
//
// A newcomer joins the last party if it wants the same and the party takes it; otherwise it is the first of a new one, with
// a ticket of its own. So all of one client's threads that want to be alone share one ticket, as long as nobody of them wants to
// share.
//
// Everything here runs inside the Executor.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "lock/party.h"

namespace holdfast::lock {

class Gate final : public Entrance {
 public:
  using MakeParty = std::function<std::shared_ptr<Party>(Stand stand)>;

  // `alone`: everybody has a ticket of its own, so that its card says who it is.
  Gate(std::string queue, bool alone, MakeParty make_party)
      : queue_(std::move(queue)), alone_(alone), make_party_(std::move(make_party)) {}

  const std::string& queue() const { return queue_; }

  void enter(std::shared_ptr<Waiter> waiter) override;
  bool leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) override;

 private:
  const std::string queue_;
  const bool alone_;
  const MakeParty make_party_;
  std::deque<std::shared_ptr<Party>> parties_;
};

}  // namespace holdfast::lock
