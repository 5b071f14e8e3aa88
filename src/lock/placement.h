// placement.h -- makes the tickets of a claim, each exactly once, whichever replies are lost.
//
//   state       means                                           ends by
//   detached    no ticket, and no request that could make one   enqueue
//   enqueueing  enqueue is under way                            its reply
//   unsure      its reply was lost: there may be tickets        find, or the end of the session that asked
//   placed      the tickets are made                            again(), release()
//   ended       no ticket is left, or the Sweeper removes it    -
//
// Two rules. A ticket counts only if the session that made it is the current session. And `unsure` ends only by an answer of
// the service or by the end of that session: no way out leaves a ghost ticket.
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
    // No tickets will be made.
    virtual void not_placed(Refusal refusal) = 0;
  };

  // Keeps its owner, and with it `wanted`, alive until release().
  Placement(Context& context, std::shared_ptr<Owner> owner, const Wanted& wanted, std::string card);

  void start();
  // At least one of the tickets is gone: makes new ones.
  void again();
  // From any state: gives back the tickets there are, and calls the owner no more. `done` runs when they are known to be gone.
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
  // Raised whenever a request under way becomes obsolete, so that its late reply is recognised.
  std::uint64_t episode_ = 0;
  std::vector<std::string> uids_;  // of every ticket
  spi::SessionId asked_in_ = 0;    // the session that enqueue was sent in
  Placed found_;                   // so far, while finding
  std::vector<spi::Place> places_;
  RetryLoop retry_;
};

}  // namespace holdfast::lock
