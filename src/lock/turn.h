// turn.h -- waits until it is the turn of a claim's tickets, in one queue after the other.
//
//   state     means                                              ends by
//   looking   a list, a listener or a check is under way         its reply
//   waiting   it listens to the one ticket ahead that matters    the end of that ticket
//   over      admitted in every queue, or ended                  -
//
// A claim stays admitted in one queue while it waits for the next, because no ticket can come in ahead of its own.
//
// Everything here runs inside the Executor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/card.h"
#include "lock/context.h"
#include "lock/refusal.h"
#include "lock/retry_loop.h"
#include "lock/wanted.h"

namespace holdfast::lock {

class Turn : public std::enable_shared_from_this<Turn> {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // Admitted in every queue. The last call.
    virtual void admitted() = 0;
    // Not yet. May be called more than once.
    virtual void must_wait() = 0;
    // A ticket of the claim is gone, or its session. The last call.
    virtual void tickets_gone() = 0;
    // The service refuses, or could not be reached. The last call.
    virtual void not_admitted(Refusal refusal) = 0;
  };

  // Keeps its owner, and with it `wanted` and `places`, alive until the last call or end().
  Turn(Context& context, std::shared_ptr<Owner> owner, const Wanted& wanted, const std::vector<spi::Place>& places);

  // Starts with the listings that came when the tickets were made: a queue that admits by these needs no further request.
  void begin(const spi::Reply<std::vector<spi::Enqueued>>& placed);
  // Calls the owner no more.
  void end();

  void session_is_good() { retry_.session_is_good(); }
  void session_disconnected();
  // The number of permits has changed.
  void look_again();

  // In how many queues it is admitted.
  std::size_t admitted_queues() const { return current_; }
  // How many tickets are ahead in the queue whose turn it waits for, and the card of the first, as far as it is known.
  std::size_t ahead() const { return ahead_; }
  const std::optional<Card>& holder() const { return holder_; }

 private:
  enum class State { looking, waiting, over };

  void list();
  void consider(const spi::Listing& queue);
  void listen(const spi::Ticket& to, bool is_holder);
  void listen_to_queue();
  void ask_for_holder(const spi::Ticket& first);
  void on_gone(spi::Status status);
  void advance();
  void confirm();
  void admit_now();
  void resume();
  bool lost_the_session() const { return places_.front().session != context_.session.id(); }
  // What the rule says about all tickets of the claim in this queue.
  Admission look_at(const spi::Listing& queue) const;

  const QueueRequest& request() const { return wanted_[current_]; }
  RetryLoop::Step step(void (Turn::*member)());
  bool is_current(std::uint64_t episode) const { return episode == episode_ && state_ != State::over; }
  void stop_listening();
  // Ends the turn, and returns the owner for its last call.
  std::shared_ptr<Owner> last_word();

  Context& context_;
  std::shared_ptr<Owner> owner_;  // none once over
  const Wanted& wanted_;
  const std::vector<spi::Place>& places_;

  State state_ = State::looking;
  // Raised whenever a request under way becomes obsolete, so that its late reply is recognised.
  std::uint64_t episode_ = 0;
  std::size_t current_ = 0;  // the queue whose turn it waits for; admitted in all before it
  std::size_t ahead_ = 0;
  bool last_obstacle_ = false;
  std::optional<Card> holder_;
  spi::QueueBackend::ListenerId listener_ = 0;
  RetryLoop retry_;
};

}  // namespace holdfast::lock
