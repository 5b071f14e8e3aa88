// claim.h -- the way of one or several tickets that are asked for together: made, waiting, admitted, given back.
//
//   state       means                                              leaves by
//   detached    no ticket, and no request that could make one      enqueue
//   enqueueing  enqueue is under way                               its reply
//   unsure      its reply was lost: there may be tickets           find
//   placed      we have our tickets; looking for our turn          admission
//   waiting     we listen to the one ticket ahead that matters     its going
//   admitted    our turn, in every queue                           give_up(), loss
//   ended       nothing of us is left, or the Sweeper has it       -
//
// A claim stands in one queue (a mutex), in several (a multi-lock), or with several tickets in one (permits). It waits for
// one queue after the other: where it was admitted it stays so, because nobody can come in ahead of it.
//
// Two rules keep it honest. A ticket counts only if the session that made it is our current session. And `unsure` is left
// only by an answer of the service or by the death of that session: there is no way out that leaves a ghost.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/card.h"
#include "holdfast/retry.h"
#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"
#include "lock/admission.h"
#include "lock/attempts.h"
#include "lock/refusal.h"
#include "lock/session.h"
#include "lock/sweeper.h"

namespace holdfast::lock {

// What a claim works with. All of it outlives every claim.
struct Means {
  spi::Executor& executor;
  spi::QueueBackend& backend;
  Session& session;
  Sweeper& sweeper;
  RetryPolicy retry;
  Clock::duration connection_timeout;
};

// The number of permits, which may change while somebody waits.
using Limit = std::atomic<std::size_t>;

// What is wanted of one queue.
struct Stand {
  std::string queue;
  spi::Mode mode = spi::Mode::exclusive;
  std::size_t tickets = 1;                 // more than one for permits only
  std::shared_ptr<const Limit> permits{};  // for permits only
  std::string in_place_of{};               // a ticket of ours, which has been admitted: then so are we
};

class Claim : public std::enable_shared_from_this<Claim> {
 public:
  class Claimant {
   public:
    virtual ~Claimant() = default;
    virtual void admitted(Claim& claim) = 0;
    // The tickets are in their queues, but it is not our turn. May be told more than once.
    virtual void must_wait(Claim& claim) = 0;
    // It ended without being admitted, for good.
    virtual void failed(Claim& claim, Refusal refusal) = 0;
    // It was admitted, and is no longer ours: a ticket was removed by somebody else.
    virtual void broken(Claim& claim) = 0;
    // It was admitted, and somebody asks for it back. Only after listen_for_revocation().
    virtual void revoked(Claim& claim) = 0;
  };

  // Keeps its claimant until it has ended.
  Claim(Means& means, std::shared_ptr<Claimant> claimant, std::vector<Stand> stands, Card card);

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

  // How many of the stands it is admitted in.
  std::size_t admitted_stands() const { return current_; }
  bool is_admitted() const { return state_ == State::admitted; }
  const std::vector<Stand>& stands() const { return stands_; }
  // Of the first ticket: found again in its id.
  const std::string& uid() const { return uids_.front(); }
  // In the order of the stands. All have one token and one session.
  const std::vector<spi::Place>& places() const { return places_; }
  std::vector<spi::TicketName> ticket_names() const;
  // The queue that is waited for, or, if there is none any more, the first.
  const std::string& queue() const { return stands_[current_ < stands_.size() && !is_admitted() ? current_ : 0].queue; }
  std::size_t ahead() const { return ahead_; }
  const std::optional<Card>& holder() const { return holder_; }

 private:
  enum class State { detached, enqueueing, unsure, placed, waiting, admitted, ended };
  using Step = void (Claim::*)();
  using Placed = std::vector<spi::Enqueued>;

  void enqueue();
  void on_enqueued(spi::Reply<Placed> reply);
  void find();
  void on_found(spi::Reply<spi::Enqueued> reply);
  void on_placed(const Placed& placed);
  void sweep_reply(const spi::Reply<Placed>& reply, const std::vector<std::string>& uids, spi::SessionId asked_in);
  void sweep(const Placed& placed);
  void requeue();

  void list();
  void consider(const spi::Listing& queue);
  void listen(const spi::Ticket& to, bool is_holder);
  void listen_to_queue();
  void ask_for_holder(const spi::Ticket& first);
  void on_gone(spi::Status status);
  void advance();
  void confirm();
  void admit_now();
  void listen_to_own_tickets();
  void on_own_ticket(std::size_t ticket, const spi::Reply<std::string>& reply);

  void resume();
  void again_later(Step step, const std::string& why);
  void after_failure(spi::Status status, const std::string& why, Step step);
  void when_connected(Step step);
  void hold_on(Step step, const std::string& why);
  void forget_pending();
  void progress() { attempts_ = {}; }
  bool is_current(std::uint64_t episode) const { return episode == episode_ && state_ != State::ended; }
  void fail(std::error_code code, std::string message);
  void break_off();
  void put_card_back(std::size_t i, const std::string& id);
  void end();
  void stop_listening();

  const Stand& stand() const { return stands_[current_]; }
  const std::string& queue_of(std::size_t ticket) const { return stands_[stand_of_[ticket]].queue; }
  std::size_t first_ticket_of(std::size_t stand) const;
  // What the queue of the current stand says about all of its tickets.
  Admission look_at(const spi::Listing& queue) const;

  Means& means_;
  std::shared_ptr<Claimant> claimant_;  // none once ended
  std::vector<Stand> stands_;
  std::vector<std::size_t> stand_of_;  // of every ticket
  const Card card_;

  State state_ = State::detached;
  // Raised with every step that makes what is under way obsolete, so that late replies are recognised.
  std::uint64_t episode_ = 0;
  std::vector<std::string> uids_;  // of every ticket
  spi::SessionId asked_in_ = 0;    // the session that enqueue was sent in
  Placed found_;                   // so far, while finding
  std::vector<spi::Place> places_;
  std::size_t current_ = 0;  // the stand that is waited for; all before it are admitted
  std::size_t ahead_ = 0;
  bool last_obstacle_ = false;
  std::optional<Card> holder_;
  spi::QueueBackend::ListenerId listener_ = 0;
  bool revocation_wanted_ = false;
  bool asked_back_ = false;  // a ticket of ours says so
  // To our own tickets, with which they end: nothing has to be taken back. 0: none.
  std::vector<spi::QueueBackend::ListenerId> own_listeners_;

  // While the service cannot be reached, or the session not be proven.
  Step pending_ = nullptr;  // what to do once it is good
  spi::Executor::TimerId timer_ = spi::Executor::kNoTimer;
  Attempts attempts_;
};

}  // namespace holdfast::lock
