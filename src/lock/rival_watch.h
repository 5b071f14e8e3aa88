// rival_watch.h -- whether any other ticket stands in the queue of a ticket that has been admitted.
//
//   state    means                                                  next
//   asking   the queue is being listed                              alone, rival
//   alone    the queue has this ticket only; it is listened to      rival
//   rival    there is another ticket, or our own is not there, or   -
//            it cannot be known
//
// Another ticket is another client's, or that of other threads of this client, which wait as rivals do. One request, and none while alone.
//
// Everything here runs inside the Executor.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lock/context.h"

namespace holdfast::lock {

class RivalWatch : public std::enable_shared_from_this<RivalWatch> {
 public:
  // `rival_seen` is called once at most, and not after end().
  RivalWatch(Context& context, std::string queue, std::string ticket, std::function<void()> rival_seen)
      : context_(context), queue_(std::move(queue)), ticket_(std::move(ticket)), rival_seen_(std::move(rival_seen)) {}

  void begin();
  void end();

  bool alone() const { return state_ == State::alone; }
  bool has_rival() const { return state_ == State::rival; }

 private:
  enum class State { asking, alone, rival };

  void listed(const spi::Reply<spi::Listing>& reply);
  void see_rival();

  Context& context_;
  const std::string queue_;
  const std::string ticket_;
  std::function<void()> rival_seen_;  // none once it was called, or ended
  State state_ = State::asking;
  spi::QueueBackend::ListenerId listener_ = 0;
};

}  // namespace holdfast::lock
