// handled.h -- what the handlers of a client have to do with one hold.
//
//   state       a loss is                ends when
//   acquiring   noted                    the acquire has come back to its caller -> held
//   held        told to the handlers     the hold is released
//
// Thread safety: signal_loss() from any thread. The rest by the thread that acquires, and then by the one that releases.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "holdfast/handler.h"

namespace holdfast::lock {

// The handlers of a client, the outermost first. Never changes, and is not empty.
using Chain = std::vector<std::shared_ptr<LockHandler>>;

// Tells a handler, and logs what it throws.
void tell_error(LockHandler& handler, const LockRequest& request, const std::exception_ptr& error) noexcept;
// "what() of it", for the log.
std::string text_of(const std::exception_ptr& error);

class Handled {
 public:
  Handled(std::shared_ptr<const Chain> chain, HeldLock held) : chain_(std::move(chain)), held_(std::move(held)) {}

  const Chain& chain() const { return *chain_; }
  const HeldLock& held() const { return held_; }

  // Until drop_kept() of the same level.
  void keep(std::size_t level, std::shared_ptr<void> object) { kept_.emplace_back(level, std::move(object)); }
  void drop_kept(std::size_t level);

  // The acquire has come back to its caller. Tells of a loss that came before.
  void complete() noexcept;
  // Once the hold was lost; more calls do nothing.
  void signal_loss() noexcept;

 private:
  void tell_loss() noexcept;

  const std::shared_ptr<const Chain> chain_;
  const HeldLock held_;
  std::vector<std::pair<std::size_t, std::shared_ptr<void>>> kept_;

  std::mutex mutex_;
  bool complete_ = false;  // these three are guarded by mutex_
  bool lost_ = false;
  bool told_ = false;
};

}  // namespace holdfast::lock
