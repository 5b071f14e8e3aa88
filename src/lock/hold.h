// hold.h -- one hold of a name: what a Lease stands for. Made by a Cohort, shared by all entries of its thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "holdfast/clock.h"
#include "holdfast/fence.h"
#include "holdfast/spi/executor.h"
#include "lock/call.h"
#include "lock/handled.h"
#include "lock/validity.h"

namespace holdfast::lock {

class Cohort;

// Any thread may read it; it ends inside the Executor only.
class Hold {
 public:
  struct Grant {
    Token token = 0;
    std::vector<spi::TicketName> tickets;
    std::string path;                                    // of the first, on the service
    Clock::time_point until = Clock::time_point::max();  // the maximum hold
    Clock::time_point not_free_before{};                 // the minimum hold
  };

  Hold(std::shared_ptr<Cohort> cohort, Grant grant, const Call& call, std::shared_ptr<const Validity> validity)
      : cohort_(std::move(cohort)),
        grant_(std::move(grant)),
        thread_(call.thread),
        validity_(std::move(validity)),
        bound_(call.bound) {}

  Cohort& cohort() const { return *cohort_; }
  const Grant& grant() const { return grant_; }
  Token token() const noexcept { return grant_.token; }
  const std::string& ticket() const { return grant_.path; }

  std::stop_token lost() const noexcept { return lost_.get_token(); }
  std::stop_token revoked() const noexcept { return revoked_.get_token(); }
  Clock::time_point valid_until() const noexcept {
    return ended_.load() ? Clock::time_point(Clock::duration(ended_at_.load()))
                         : std::min(validity_->until(), grant_.until);
  }
  bool is_held(Clock::time_point now) const noexcept { return !ended_.load() && now < valid_until(); }

  // The handlers that were told of it; none if the client has none. By the thread that acquires, before any other thread but that of losses
  // knows of the hold.
  void attach(std::shared_ptr<Handled> handled) noexcept {
    handled_ = std::move(handled);
    seen_handled_.store(handled_.get());
    if (lost_.stop_requested()) handled_->signal_loss();  // signal_loss() may not have seen it
  }
  const std::shared_ptr<Handled>& handled() const { return handled_; }

  // The thread that acquired it.
  ThreadId thread() const noexcept { return thread_; }
  // How often it was entered and not left.
  std::size_t entries() const noexcept { return entries_.load(); }
  void set_entries(std::size_t entries) noexcept { entries_.store(entries); }
  // Only that thread can give it back; see Call.
  bool bound() const noexcept { return bound_.load(); }
  void set_bound(bool bound) noexcept { bound_.store(bound); }

  // The timer of the maximum hold. Inside the Executor only.
  spi::Executor::TimerId limit = spi::Executor::kNoTimer;

  void end(Clock::time_point now) noexcept {
    // It may have ended before a thread noticed.
    ended_at_.store(std::min({now, validity_->until(), grant_.until}).time_since_epoch().count());
    ended_.store(true);
  }
  // These run users' callbacks: not inside the Executor.
  void signal_loss() noexcept {
    lost_.request_stop();
    if (auto* handled = seen_handled_.load()) handled->signal_loss();
  }
  void signal_revocation() noexcept { revoked_.request_stop(); }

 private:
  const std::shared_ptr<Cohort> cohort_;
  const Grant grant_;
  const ThreadId thread_;
  const std::shared_ptr<const Validity> validity_;
  std::atomic<bool> bound_;
  std::atomic<std::size_t> entries_ = 1;
  std::atomic<bool> ended_ = false;
  std::atomic<Clock::rep> ended_at_{0};
  std::stop_source lost_;
  std::stop_source revoked_;
  std::shared_ptr<Handled> handled_;
  std::atomic<Handled*> seen_handled_ = nullptr;
};

}  // namespace holdfast::lock
