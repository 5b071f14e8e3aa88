// entry.h -- what a Lease owns: one entry into a hold.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "lock/hold.h"
#include "lock/owner.h"

namespace holdfast::lock {

class Entry {
 public:
  Entry(std::shared_ptr<Owner> owner, std::shared_ptr<Hold> hold) : owner_(std::move(owner)), hold_(std::move(hold)) {}

  const Hold& hold() const { return *hold_; }
  bool is_held() const { return !released_ && hold_->is_held(); }

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

}  // namespace holdfast::lock
