// claim.h -- the way of one or several tickets that are asked for together: made, waiting, admitted, given back.
//
//   state     means                                                      leaves by
//   placing   the tickets are being made (placement.h)                   they are placed
//   waiting   they are in their queues; it is not our turn (turn.h)      admission; placing again if one of them is gone
//   admitted  our turn, in every queue                                   give_up(), or one of them is gone
//   ended     nothing of us is left, or the Sweeper has it               -
//
// A claim stands in one queue (a mutex), in several (a multi-lock), or with several tickets in one (permits).
//
// Everything here runs inside the Executor.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/card.h"
#include "lock/context.h"
#include "lock/placement.h"
#include "lock/refusal.h"
#include "lock/turn.h"
#include "lock/wanted.h"

namespace holdfast::lock {

class Claim final : private Placement::Owner, private Turn::Owner, public std::enable_shared_from_this<Claim> {
 public:
  class Claimant {
   public:
    virtual ~Claimant() = default;
    virtual void admitted(Claim& claim) = 0;
    // The tickets are in their queues, but it is not our turn. May be told more than once.
    virtual void must_wait(Claim& claim) = 0;
    // It ended without being admitted, for good.
    virtual void failed(Claim& claim, Refusal refusal) = 0;
    // It was admitted, and is no longer ours: a ticket was removed by another client.
    virtual void broken(Claim& claim) = 0;
    // It was admitted, and another client asks for it back. Only after listen_for_revocation().
    virtual void revoked(Claim& claim) = 0;
  };

  // Keeps its claimant until it has ended.
  Claim(Context& context, std::shared_ptr<Claimant> claimant, std::vector<QueueRequest> wanted, Card card);

  void start();
  // Gives back whatever there is, in any state. The claimant hears nothing more. `done`: when the tickets are known to be
  // gone.
  void give_up(Sweeper::Done done = {});

  // The session is connected, or proven to be alive, again.
  void session_is_good();
  void session_disconnected();
  // Sees to it that a removed ticket of ours is noticed.
  void beat();
  // The number of permits has changed.
  void look_again();
  // Wants to hear revoked() from now on.
  void listen_for_revocation();

  // In how many queues it is admitted.
  std::size_t admitted_queues() const;
  bool is_admitted() const { return state_ == State::admitted; }
  const Wanted& wanted() const { return wanted_; }
  // In the order of the queues. All have one token and one session.
  const std::vector<spi::Place>& places() const { return placement_->places(); }
  std::vector<spi::TicketName> ticket_names() const;
  // The queue that is waited for, or, if there is none any more, the first.
  const std::string& queue() const;
  std::size_t ahead() const { return turn_ ? turn_->ahead() : 0; }
  const std::optional<Card>& holder() const { return turn_ && turn_->holder() ? turn_->holder() : holder_; }

 private:
  enum class State { placing, waiting, admitted, ended };

  void placed(const spi::Reply<Placement::Placed>& reply) override;
  void not_placed(Refusal refusal) override { fail(std::move(refusal)); }
  void admitted() override;
  void must_wait() override;
  void tickets_gone() override;
  void not_admitted(Refusal refusal) override { fail(std::move(refusal)); }

  void listen_to_own_tickets();
  void on_own_ticket(std::size_t ticket, const spi::Reply<spi::TicketText>& reply);
  void put_card_back(std::size_t ticket);
  void fail(Refusal refusal);
  void break_off();

  Context& context_;
  std::shared_ptr<Claimant> claimant_;  // none once ended
  const Wanted wanted_;
  const Card card_;

  State state_ = State::placing;
  std::shared_ptr<Placement> placement_;
  std::shared_ptr<Turn> turn_;  // once placed
  std::optional<Card> holder_;  // as far as the last turn knew
  bool revocation_wanted_ = false;
  bool asked_back_ = false;  // a ticket of ours says so
  // To our own tickets, with which they end: nothing has to be taken back. 0: none.
  std::vector<spi::QueueBackend::ListenerId> own_listeners_;
};

}  // namespace holdfast::lock
