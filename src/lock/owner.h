// owner.h -- who holds through one Mutex object: the ownership rules.
//
// A hold is kept by the thread that acquired it, as often as it entered: with lock(), or with a Lease each. It ends when
// the last of them is gone.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <tl/expected.hpp>
#include <vector>

#include "holdfast/clock.h"
#include "lock/core.h"

namespace holdfast::lock {

class Owner {
 public:
  Owner(std::shared_ptr<Core> core, const std::string& name, bool reentrant);

  enum class Way { lock, lease };

  // One entry more, by this thread. A deadline that is not after the epoch: does not wait for others.
  Outcome enter(Way way, Clock::time_point deadline, const std::stop_token& stop);
  // One lock() less: this thread's, or anybody's if not re-entrant. not_owner, session_lost.
  std::error_code leave();
  // One Lease of `hold` less, by any thread. `done`: when the name is free for others, or at once if it stays held.
  std::error_code leave(const std::shared_ptr<Hold>& hold, Sweeper::Done done = {});
  // The object goes: gives back what lock() still holds.
  void abandon() noexcept;

  bool is_held(bool by_this_thread) const;
  const std::string& path() const { return path_; }

 private:
  using ThreadId = std::uint64_t;
  struct Keeping {
    std::shared_ptr<Hold> hold;
    ThreadId thread = 0;
    unsigned locks = 0;
    unsigned leases = 0;
  };

  static ThreadId this_thread();
  std::error_code let_go(const std::shared_ptr<Hold>& hold, bool last, Sweeper::Done done);

  const std::shared_ptr<Core> core_;
  const std::shared_ptr<Gate> gate_;
  const std::string path_;
  const bool reentrant_;
  mutable std::mutex mutex_;  // never held while entering the Core
  // Seldom more than one: a hold that was lost stays until its owner has released it.
  std::vector<Keeping> keepings_;
};

}  // namespace holdfast::lock
