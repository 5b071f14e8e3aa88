// claim.h -- the way of one ticket: made, waiting, admitted, given back.
//
//   state       means                                             leaves by
//   detached    no ticket, and no request that could make one     enqueue
//   enqueueing  enqueue is under way                              its reply
//   unsure      its reply was lost: there may be a ticket         find
//   placed      we have a ticket; looking for our turn            admission
//   waiting     we listen to the one ticket ahead that matters    its going
//   admitted    our turn                                          give_up(), loss
//   ended       nothing of us is left, or the Sweeper has it      -
//
// Two rules keep it honest. A ticket counts only if the session that made it is our current session. And `unsure` is left
// only by an answer of the service or by the death of that session: there is no way out that leaves a ghost.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "holdfast/card.h"
#include "holdfast/retry.h"
#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"
#include "lock/admission.h"
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

class Claim : public std::enable_shared_from_this<Claim> {
 public:
  class Claimant {
   public:
    virtual ~Claimant() = default;
    virtual void admitted(Claim& claim) = 0;
    // The ticket is in the queue, but it is not our turn. May be told more than once.
    virtual void must_wait(Claim& claim) = 0;
    // It ended without being admitted, for good.
    virtual void failed(Claim& claim, Refusal refusal) = 0;
    // It was admitted, and is no longer ours: the ticket was removed by somebody else.
    virtual void broken(Claim& claim) = 0;
  };

  // Keeps its claimant until it has ended.
  Claim(Means& means, std::shared_ptr<Claimant> claimant, std::string queue, Rule rule, Card card);

  void start();
  // Gives back whatever there is, in any state. The claimant hears nothing more. `done`: when the ticket is known to be
  // gone.
  void give_up(Sweeper::Done done = {});

  // The session is connected, or proven to be alive, again.
  void session_is_good();
  void session_disconnected();
  // Looks whether our ticket is still there: somebody may have removed it.
  void beat();

  bool is_admitted() const { return state_ == State::admitted; }
  const spi::Place& place() const { return place_; }
  std::size_t ahead() const { return ahead_; }
  const std::optional<Card>& holder() const { return holder_; }

 private:
  enum class State { detached, enqueueing, unsure, placed, waiting, admitted, ended };
  using Step = void (Claim::*)();

  void enqueue();
  void find();
  void list();
  void resume();
  void on_placed(spi::Reply<spi::Enqueued> reply, bool finding);
  void clean_up(const spi::Reply<spi::Enqueued>& reply, const std::string& uid, spi::SessionId asked_in);
  void consider(const spi::Listing& queue);
  void listen(const spi::Ticket& to, bool is_holder);
  void ask_for_holder(const spi::Ticket& first);
  void on_told(spi::Status status);
  void admit_now();
  void requeue();

  void again_later(Step step, const std::string& why);
  void when_connected(Step step);
  void hold_on(Step step, const std::string& why);
  void forget_pending();
  void progress();
  bool is_current(std::uint64_t episode) const { return episode == episode_ && state_ != State::ended; }
  void fail(std::error_code code, std::string message);
  void end();
  void stop_listening();

  Means& means_;
  std::shared_ptr<Claimant> claimant_;  // none once ended
  const std::string queue_;
  const Rule rule_;
  const Card card_;

  State state_ = State::detached;
  // Raised with every step that makes what is under way obsolete, so that late replies are recognised.
  std::uint64_t episode_ = 0;
  std::string uid_;
  spi::SessionId asked_in_ = 0;  // the session that enqueue was sent in
  spi::Place place_;
  std::size_t ahead_ = 0;
  bool last_obstacle_ = false;
  std::optional<Card> holder_;
  spi::QueueBackend::ListenerId listener_ = 0;

  // While the service cannot be reached, or the session not be proven.
  Step pending_ = nullptr;  // what to do once it is good
  spi::Executor::TimerId timer_ = spi::Executor::kNoTimer;
  unsigned failures_ = 0;
  Clock::time_point first_failure_{};
  std::string trouble_;
};

}  // namespace holdfast::lock
