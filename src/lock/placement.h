// placement.h -- gets the tickets of a claim made, all of them once, whichever replies are lost.
//
//   state       means                                           leaves by
//   detached    no ticket, and no request that could make one   enqueue
//   enqueueing  enqueue is under way                            its reply
//   unsure      its reply was lost: there may be tickets        find, or the death of the session that asked
//   placed      the tickets are made                            again(), release()
//   ended       nothing is left, or the Sweeper has it          -
//
// Two rules keep it honest. A ticket counts only if the session that made it is our current session. And `unsure` is left
// only by an answer of the service or by the death of that session: there is no way out that leaves a ghost.
//
// Everything here runs inside the Executor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lock/context.h"
#include "lock/refusal.h"
#include "lock/retry_loop.h"
#include "lock/wanted.h"

namespace holdfast::lock {

class Placement : public std::enable_shared_from_this<Placement> {
 public:
  using Placed = std::vector<spi::Enqueued>;

  class Owner {
   public:
    virtual ~Owner() = default;
    // All tickets are made, each with a listing of its queue; or made but not listed, which the status says.
    virtual void placed(const spi::Reply<Placed>& reply) = 0;
    // There will be none.
    virtual void not_placed(Refusal refusal) = 0;
  };

  // Keeps its owner, and with it `wanted`, until release().
  Placement(Context& context, std::shared_ptr<Owner> owner, const Wanted& wanted, std::string card);

  void start();
  // The tickets are gone, or at least one of them is: makes new ones.
  void again();
  // Gives back whatever there is, in any state. The owner hears nothing more. `done`: when the tickets are known to be gone.
  void release(Sweeper::Done done = {});

  void session_is_good() { retry_.session_is_good(); }

  bool is_placed() const { return state_ == State::placed; }
  // Once placed. All have one token and one session.
  const std::vector<spi::Place>& places() const { return places_; }

 private:
  enum class State { detached, enqueueing, unsure, placed, ended };

  void enqueue();
  void on_enqueued(const spi::Reply<Placed>& reply);
  void find();
  void on_found(spi::Reply<spi::Enqueued> reply);
  void on_placed(const spi::Reply<Placed>& reply);
  void sweep_late(const spi::Reply<Placed>& reply, const std::vector<std::string>& uids, spi::SessionId asked_in);
  void sweep_if_made(std::size_t first);
  RetryLoop::Step step(void (Placement::*member)());
  bool is_current(std::uint64_t episode) const { return episode == episode_ && state_ != State::ended; }
  const std::string& queue_of(std::size_t ticket) const { return wanted_.of_ticket(ticket).queue; }

  Context& context_;
  std::shared_ptr<Owner> owner_;  // none once ended
  const Wanted& wanted_;
  const std::string card_;

  State state_ = State::detached;
  // Raised whenever what is under way becomes obsolete, so that late replies are recognised.
  std::uint64_t episode_ = 0;
  std::vector<std::string> uids_;  // of every ticket
  spi::SessionId asked_in_ = 0;    // the session that enqueue was sent in
  Placed found_;                   // so far, while finding
  std::vector<spi::Place> places_;
  RetryLoop retry_;
};

}  // namespace holdfast::lock
