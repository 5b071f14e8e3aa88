// cohort.h -- threads of one client that share one claim (the literature's "cohort lock").
//
//     remote queue     [ t7 (other process) ] [ t8 (us) ] [ t9 (other process) ]
//                                               |
//     cohort           holder: thread A   line: B, C, D         one ticket for all of them
//
//   state     means                                                ends when
//   idle      no thread wants the name: no claim                   a waiter comes -> claiming
//   claiming  a claim is under way                                 must wait -> waiting; admitted -> delayed or open
//   waiting   the claim is in its queue, and not first             admitted -> delayed or open
//   delayed   admitted, but a lock delay is waited out             it is over -> open
//   open      admitted, and held by a thread or several            the last hold ends -> open again (hand-over), resting, kept or idle
//   resting   admitted and released; the minimum hold is not over  it is over -> idle
//   kept      admitted and released; no rival wants the name       a waiter comes -> open; a rival comes, or none uses it -> idle
//
// From every state: the last waiter leaves before anything is held, the claim fails or breaks, the validity of the session ends, the
// client closes -> idle, and the ticket is given back. Whenever it becomes idle with threads in line, it claims anew.
//
// An exclusive cohort has one holder at a time: on release the ticket goes to the next thread in line without a round trip, up
// to a bound (HandOver), then back to the queue. A shared one has as many holders as there are; newcomers may join it while it
// waits, and for the same bound once it is admitted. When no thread is left, the ticket is given back, or kept for a while if this client
// uses the name again and again and no rival is in the queue (docs/adr/0029). As long as none is known to be, there is no bound.
//
// Everything here runs inside the Executor.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "holdfast/client.h"
#include "lock/claim.h"
#include "lock/context.h"
#include "lock/delay.h"
#include "lock/hold.h"
#include "lock/keep_policy.h"
#include "lock/messenger.h"
#include "lock/rival_watch.h"
#include "lock/waiter.h"

namespace holdfast::lock {

// A line in which calls wait: of a cohort, or of a local queue.
class Entrance {
 public:
  virtual ~Entrance() = default;
  virtual void enter(std::shared_ptr<Waiter> waiter) = 0;
  // The caller of this waiter gave up. What is known about the queue goes into `refusal`. False if the waiter
  // was not here.
  virtual bool leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) = 0;
};

// What all cohorts of a client share.
struct CohortContext {
  Context& claims;
  // Runs a user's callbacks on lost() and revoked().
  std::function<void(std::function<void()>)> deliver;
  HandOver hand_over;  // where a call says no other
  // This waiter is about to wait for that queue: why it must not, if it closes a circle.
  std::function<std::optional<Refusal>(const Waiter&, const std::string& queue)> would_deadlock;
};

class Cohort final : public Entrance, public Claim::Claimant, public std::enable_shared_from_this<Cohort> {
 public:
  // With a policy it may keep its ticket.
  Cohort(CohortContext& context, std::vector<QueueRequest> wanted, std::shared_ptr<KeepPolicy> keeping = nullptr)
      : context_(context), claims_(context.claims), wanted_(std::move(wanted)), keeping_(std::move(keeping)) {}

  // Whether this waiter may join instead of taking a ticket of its own.
  bool takes(const Waiter& waiter) const;
  // Of the first queue.
  spi::Mode mode() const { return wanted_.front().mode; }
  bool is_shared() const { return wanted_.size() == 1 && mode() == spi::Mode::shared; }
  // No thread uses it.
  bool idle() const { return state_ == State::idle && line_.empty() && !looking_; }

  void enter(std::shared_ptr<Waiter> waiter) override;
  bool leave(const std::shared_ptr<Waiter>& waiter, Refusal& refusal) override;
  // session_lost if the hold has ended already. `done` runs when the name is free for rivals.
  std::error_code release(const std::shared_ptr<Hold>& hold, Sweeper::Done done);
  // From now on the ticket of this hold is not handed over: another ticket was made in its place. False if the hold has ended.
  bool pin(const Hold& hold);
  void listen_for_revocation(const Hold& hold);
  // The number of permits has changed.
  void look_again();
  // A waiter that cannot join wants the name.
  void give_back_kept();

  void session_is_good();
  void session_disconnected();
  void validity_ended();
  void beat();
  // All waiters get `refusal`; all holds are lost.
  void close(const Refusal& refusal);

  // For the search for circles.
  const std::deque<std::shared_ptr<Waiter>>& line() const { return line_; }
  const std::vector<std::shared_ptr<Hold>>& holds() const { return holds_; }
  const std::vector<QueueRequest>& wanted() const { return wanted_; }
  // In how many of its queues it is admitted, while it waits for the next.
  std::size_t admitted_queues() const { return state_ == State::waiting ? claim_->admitted_queues() : 0; }
  // While there are holds.
  const std::vector<spi::Place>& places() const { return claim_->places(); }
  // The queue that the waiters in line wait for.
  const std::string& queue() const { return claim_ ? claim_->queue() : wanted_.front().queue; }
  // The refusal for a caller that would have to wait, and does not want to.
  Refusal busy(std::size_t ahead) const;
  std::size_t ahead_of_newcomer() const;

 private:
  enum class State { idle, claiming, waiting, delayed, open, resting, kept };

  // What the threads have done with one ticket, from its admission to its return.
  struct Tenure {
    Clock::time_point since{};
    Clock::time_point not_free_before{};  // the minimum hold
    unsigned hand_overs = 0;
    bool may_hand_over = true;
    bool graceful = true;  // no hold of it was lost
    HandOver bounds{};
  };

  void admitted(Claim& claim) override;
  void must_wait(Claim& claim) override;
  void failed(Claim& claim, Refusal refusal) override;
  void broken(Claim& claim) override;
  void revoked(Claim& claim) override;

  bool is_admitted() const { return state_ >= State::delayed; }
  Clock::time_point now() const { return claims_.executor.now(); }
  void look_first(std::shared_ptr<Waiter> waiter, std::size_t queue);
  void wait_for_kept_ticket();
  void join(std::shared_ptr<Waiter> waiter);
  void claim_if_wanted();
  void fail_if_deadlocked();
  void fail_impatient(std::size_t ahead);
  void fail_all(const Refusal& refusal);
  void open();
  const HandOver& hand_over_of(const Waiter& waiter) const;
  bool within_bounds() const;
  bool may_keep() const;
  bool may_use_kept(const Waiter& waiter) const;
  void keep();
  void end_keeping_in_time();
  void stay_for_the_next();
  void watch_for_rivals();
  bool keeps(const Hold& hold) const;
  bool grant_next();
  void limit_hold(const std::shared_ptr<Hold>& hold);
  void go_on();
  void rest();
  void give_back();
  void settle_owed();
  void end(const std::shared_ptr<Hold>& hold);
  void lose(const std::shared_ptr<Hold>& hold);
  void lose_all();

  CohortContext& context_;
  Context& claims_;
  const std::vector<QueueRequest> wanted_;
  const std::shared_ptr<KeepPolicy> keeping_;  // none: the ticket is never kept

  State state_ = State::idle;
  std::deque<std::shared_ptr<Waiter>> line_;
  std::shared_ptr<Claim> claim_;              // unless idle
  std::vector<std::shared_ptr<Hold>> holds_;  // while open
  Tenure tenure_;                             // while admitted
  Card card_;                                 // of the claim
  std::shared_ptr<RivalWatch> rivals_;        // while admitted, once the ticket was kept or handed over often
  Clock::time_point kept_since_{};
  spi::Executor::TimerId keep_timer_ = spi::Executor::kNoTimer;  // ends the keeping
  Clock::time_point keep_timer_due_{};
  std::shared_ptr<Delay> delay_;  // while admitted, if a thread asked for one
  std::optional<Clock::time_point>
      kept_by_rival_until_;          // callers that do not wait for rivals wait for a ticket that may only be kept
  unsigned looking_ = 0;             // callers that do not wait, and look whether they would have to
  std::vector<Sweeper::Done> owed_;  // called when the name is free: threads that released wait for it
};

}  // namespace holdfast::lock
