// worker_lock.h -- what the commands of lock_worker act on, whichever of our locks is behind it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "holdfast/holdfast.h"

namespace holdfast::testing {

class WorkerLock {
 public:
  // KIND as in README.md. Throws std::invalid_argument, and what the library throws.
  static std::unique_ptr<WorkerLock> make(Client& client, const std::string& path, const std::string& kind);

  virtual ~WorkerLock() = default;

  // Waits for ever if there is no timeout.
  virtual AcquireResult acquire(std::optional<std::chrono::milliseconds> timeout) = 0;
  // By a worker that holds nothing: the library itself has to refuse.
  virtual std::error_code release_what_is_not_held() = 0;

  // These throw std::invalid_argument unless the kind has such a thing.
  virtual Lease share();
  virtual void set_count(std::int32_t permits);
};

}  // namespace holdfast::testing
