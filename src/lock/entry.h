// entry.h -- what a Lease owns: one entry into a hold.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "base/signal.h"
#include "lock/hold.h"
#include "lock/owner.h"

namespace holdfast::lock {

class Entry {
 public:
  Entry(std::shared_ptr<Owner> owner, std::shared_ptr<Hold> hold) : owner_(std::move(owner)), hold_(std::move(hold)) {}

  // If it is not, nothing else may be called.
  bool is_of_this_process() const noexcept { return owner_->core().is_of_this_process(); }

  const Hold& hold() const { return *hold_; }
  bool is_held() const { return !released_ && hold_->is_held(owner_->core().now()); }

  void listen_for_revocation() const { owner_->core().listen_for_revocation(*hold_); }

  std::error_code release(Sweeper::Done done = {}) {
    if (released_.exchange(true)) {
      if (done) done();
      return {};
    }
    return owner_->leave(hold_, std::move(done));
  }

 private:
  const std::shared_ptr<Owner> owner_;
  const std::shared_ptr<Hold> hold_;
  std::atomic<bool> released_ = false;
};

// Calls `release(done)`, and waits until `done` has been called.
template <class Release>
std::error_code wait_for_release(Clock::time_point deadline, Release release) {
  // Shared with the callback, which may come long after the caller has stopped waiting.
  const auto acknowledged = std::make_shared<base::Signal>();
  if (const std::error_code error = release([acknowledged] { acknowledged->set(); })) return error;
  return acknowledged->wait_until(deadline) ? std::error_code() : Errc::timed_out;
}

}  // namespace holdfast::lock
