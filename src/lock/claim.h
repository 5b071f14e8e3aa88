// claim.h -- one or several tickets that are asked for together, from being made to being given back.
//
//   state     means                                                      ends when
//   placing   the tickets are being made (placement.h)                   they are made -> waiting
//   waiting   they are in their queues; it is not our turn (turn.h)      it is -> admitted; one of them is gone -> placing
//   admitted  it is our turn in every queue                              give_up(), or one of them is gone -> ended
//   ended     no ticket is left, or the Sweeper removes it               -
//
// A claim has a ticket in one queue (a mutex), in several queues (a multi-lock), or several tickets in one queue (permits).
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
    // It has ended for good without being admitted.
    virtual void failed(Claim& claim, Refusal refusal) = 0;
    // It was admitted, and has ended: another client removed a ticket.
    virtual void broken(Claim& claim) = 0;
    // It is admitted, and another client asks for the lock. Heard from the first beat on, or from listen_for_revocation() on. May be told more
    // than once.
    virtual void revoked(Claim& claim) = 0;
  };

  // Keeps its claimant alive until it has ended.
  Claim(Context& context, std::shared_ptr<Claimant> claimant, std::vector<QueueRequest> wanted, Card card);

  void start();
  // From any state: gives back the tickets there are, and calls the claimant no more. `done` runs when the tickets are known to be
  // gone.
  void give_up(Sweeper::Done done = {});

  // The session is connected again, or proven to be alive again.
  void session_is_good();
  void session_disconnected();
  // Makes sure that the removal of a ticket of ours is noticed.
  void beat();
  // The number of permits has changed.
  void look_again();
  // From now on hears of it immediately if another client asks for the lock.
  void listen_for_revocation();
  // Another client has asked for it, as far as this one has heard.
  bool is_asked_for() const { return revoked_; }

  // In how many queues it is admitted.
  std::size_t admitted_queues() const;
  bool is_admitted() const { return state_ == State::admitted; }
  const Wanted& wanted() const { return wanted_; }
  // In the order of the queues. All have one token and one session.
  const std::vector<spi::Place>& places() const { return placement_->places(); }
  std::vector<spi::TicketName> ticket_names() const;
  // The queue whose turn it waits for; the first one if it waits for none.
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
  std::optional<Card> holder_;  // as far as it was known when the last turn ended
  bool revoked_ = false;        // a ticket of ours says so
  // Listeners to our own tickets. They end with the tickets, so none has to be ignored. 0: none.
  std::vector<spi::QueueBackend::ListenerId> own_listeners_;
};

}  // namespace holdfast::lock
