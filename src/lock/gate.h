// gate.h -- the local end of a queue: all threads of one client that want one name.
//
//     remote queue     [ t7 (other process) ] [ t8 (us) ] [ t9 (other process) ]
//                                               |
//     gate             holder: thread A   line: B, C, D         one ticket for all of them
//
// Threads wait in a local line; only its head has the client stand in the remote queue. On release the ticket goes to the
// next local thread without a round trip, up to a bound (HandOver), then back to the queue. When nobody local waits, the
// ticket is always given back.
//
// Everything here runs inside the Executor.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <system_error>

#include "holdfast/client.h"
#include "lock/claim.h"
#include "lock/hold.h"
#include "lock/messenger.h"
#include "lock/waiter.h"

namespace holdfast::lock {

class Gate final : public Claim::Claimant, public std::enable_shared_from_this<Gate> {
 public:
  using MakeCard = std::function<Card()>;

  Gate(Means& means, Messenger& losses, std::string queue, HandOver hand_over, MakeCard make_card)
      : means_(means),
        losses_(losses),
        queue_(std::move(queue)),
        hand_over_(hand_over),
        make_card_(std::move(make_card)) {}

  void enter(std::shared_ptr<Waiter> waiter);
  // The waiter has an outcome of its own: the caller gave up. What is known about the queue goes into `refusal`.
  void leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal);
  // session_lost if the hold is over already. `done`: when the name is free for others.
  std::error_code release(const std::shared_ptr<Hold>& hold, Sweeper::Done done);

  void session_is_good();
  void session_disconnected();
  void validity_ended();
  void beat();
  // All who wait get `refusal`; what is held is lost.
  void close(const Refusal& refusal);

 private:
  void admitted(Claim& claim) override;
  void must_wait(Claim& claim) override;
  void failed(Claim& claim, Refusal refusal) override;
  void broken(Claim& claim) override;

  void look_first(std::shared_ptr<Waiter> waiter);
  void claim_if_wanted();
  bool grant_next();
  void lose();
  Refusal busy(std::size_t ahead) const;

  Means& means_;
  Messenger& losses_;
  const std::string queue_;
  const HandOver hand_over_;
  const MakeCard make_card_;

  std::deque<std::shared_ptr<Waiter>> line_;
  std::shared_ptr<Claim> claim_;
  std::shared_ptr<Hold> hold_;  // there is a claim, and it is admitted
  Card card_;                   // of the claim
  unsigned hand_overs_ = 0;
  Clock::time_point admitted_at_{};
};

}  // namespace holdfast::lock
