// hold.h -- one hold of a name: what a Lease stands for. Made by a Gate, shared by everybody who re-enters.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>

#include "holdfast/clock.h"
#include "holdfast/fence.h"
#include "lock/validity.h"

namespace holdfast::lock {

class Gate;

// Read by any thread; ended inside the Executor only.
class Hold {
 public:
  Hold(std::shared_ptr<Gate> gate, Token token, std::string ticket, std::shared_ptr<const Validity> validity)
      : gate_(std::move(gate)), token_(token), ticket_(std::move(ticket)), validity_(std::move(validity)) {}

  Gate& gate() const { return *gate_; }
  Token token() const noexcept { return token_; }
  const std::string& ticket() const { return ticket_; }

  std::stop_token lost() const noexcept { return lost_.get_token(); }
  Clock::time_point valid_until() const noexcept {
    return ended_.load() ? Clock::time_point(Clock::duration(ended_at_.load())) : validity_->until();
  }
  bool is_held() const noexcept { return !ended_.load() && Clock::now() < validity_->until(); }

  void end(Clock::time_point now) noexcept {
    ended_at_.store(now.time_since_epoch().count());
    ended_.store(true);
  }
  // Runs users' callbacks: not inside the Executor.
  void signal_loss() noexcept { lost_.request_stop(); }

 private:
  const std::shared_ptr<Gate> gate_;
  const Token token_;
  const std::string ticket_;
  const std::shared_ptr<const Validity> validity_;
  std::atomic<bool> ended_ = false;
  std::atomic<Clock::rep> ended_at_{0};
  std::stop_source lost_;
};

}  // namespace holdfast::lock
