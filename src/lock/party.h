// party.h -- threads of one client that share one claim.
//
//     remote queue     [ t7 (other process) ] [ t8 (us) ] [ t9 (other process) ]
//                                               |
//     party            holder: thread A   line: B, C, D         one ticket for all of them
//
// An exclusive party has one holder at a time: on release the ticket goes to the next thread in line without a round trip, up
// to a bound (HandOver), then back to the queue. A shared one has as many holders as there are; newcomers may join it while it
// waits, and for the same bound once it is admitted. When nobody is left, the ticket is always given back.
//
// Everything here runs inside the Executor.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "holdfast/client.h"
#include "lock/claim.h"
#include "lock/delay.h"
#include "lock/hold.h"
#include "lock/messenger.h"
#include "lock/waiter.h"

namespace holdfast::lock {

// Where a call waits for its turn.
class Entrance {
 public:
  virtual ~Entrance() = default;
  virtual void enter(std::shared_ptr<Waiter> waiter) = 0;
  // The waiter has an outcome of its own: the caller gave up. What is known about the queue goes into `refusal`. False if it
  // was not here.
  virtual bool leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) = 0;
};

class Party final : public Entrance, public Claim::Claimant, public std::enable_shared_from_this<Party> {
 public:
  // What all parties of a client share.
  struct House {
    Means& means;
    Messenger& losses;
    HandOver hand_over;
    // This waiter is about to wait for that queue: why it must not, if it closes a circle.
    std::function<std::optional<Refusal>(const Waiter&, const std::string& queue)> would_deadlock;
  };

  Party(House& house, std::vector<Stand> stands) : house_(house), means_(house.means), stands_(std::move(stands)) {}

  // Whether a newcomer may join instead of taking a ticket of its own.
  bool takes(const Waiter& waiter) const;
  bool is_shared() const { return stands_.size() == 1 && stands_.front().mode == spi::Mode::shared; }
  bool is_admitted() const { return claim_ && claim_->is_admitted(); }
  bool idle() const { return !claim_ && line_.empty() && !looking_; }

  void enter(std::shared_ptr<Waiter> waiter) override;
  bool leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) override;
  // session_lost if the hold is over already. `done`: when the name is free for others.
  std::error_code release(const std::shared_ptr<Hold>& hold, Sweeper::Done done);
  // From now on the ticket of this hold is not handed over: another hold stands in its place. False if the hold is over.
  bool pin(const Hold& hold);
  void listen_for_revocation(const Hold& hold);
  // The number of permits has changed.
  void look_again();

  void session_is_good();
  void session_disconnected();
  void validity_ended();
  void beat();
  // All who wait get `refusal`; what is held is lost.
  void close(const Refusal& refusal);

  // For whoever looks for circles.
  const std::deque<std::shared_ptr<Waiter>>& line() const { return line_; }
  const std::vector<std::shared_ptr<Hold>>& holds() const { return holds_; }
  const std::vector<Stand>& stands() const { return stands_; }
  // In how many of them it is admitted, while it waits for the next.
  std::size_t admitted_stands() const { return waiting_ ? claim_->admitted_stands() : 0; }
  // While there are holds.
  const std::vector<spi::Place>& places() const { return claim_->places(); }
  // The one that those in line wait for.
  const std::string& queue() const { return claim_ ? claim_->queue() : stands_.front().queue; }
  // What a caller who has to wait, but does not want to, is told.
  Refusal busy(std::size_t ahead) const;
  std::size_t ahead_of_newcomer() const;

 private:
  void admitted(Claim& claim) override;
  void must_wait(Claim& claim) override;
  void failed(Claim& claim, Refusal refusal) override;
  void broken(Claim& claim) override;
  void revoked(Claim& claim) override;

  void look_first(std::shared_ptr<Waiter> waiter, std::size_t stand);
  bool seems_free(const Stand& stand, const spi::Listing& queue) const;
  void join(std::shared_ptr<Waiter> waiter);
  void claim_if_wanted();
  void fail_if_deadlocked();
  void fail_impatient(std::size_t ahead);
  void open_up();
  bool within_bounds() const;
  bool keeps(const Hold& hold) const;
  bool grant_next();
  void limit_hold(const std::shared_ptr<Hold>& hold);
  void go_on();
  void give_back();
  void settle_owed();
  void end(const std::shared_ptr<Hold>& hold);
  void lose(const std::shared_ptr<Hold>& hold);
  void lose_all();

  House& house_;
  Means& means_;
  const std::vector<Stand> stands_;

  std::deque<std::shared_ptr<Waiter>> line_;
  std::shared_ptr<Claim> claim_;
  std::vector<std::shared_ptr<Hold>> holds_;  // there is a claim, and it is admitted
  Card card_;                                 // of the claim
  std::shared_ptr<Delay> delay_;              // once admitted, if somebody asked for one
  unsigned hand_overs_ = 0;
  unsigned looking_ = 0;
  bool handing_over_ = true;  // this ticket may be handed over
  bool graceful_ = true;      // nobody has lost it
  bool waiting_ = false;      // the claim has said that it must wait
  bool opened_ = false;       // admitted, and no delay is in the way
  Clock::time_point admitted_at_{};
  Clock::time_point not_free_before_{};
  std::vector<Sweeper::Done> owed_;  // to those who released, when the name is free
};

}  // namespace holdfast::lock
