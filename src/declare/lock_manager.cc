#include "holdfast/lock_manager.h"

#include <mutex>

#include "base/log.h"
#include "base/process.h"
#include "base/text.h"
#include "base/uuid.h"
#include "holdfast/client.h"

namespace holdfast {

// What a manager and its locks share.
struct ManagedLock::Shared {
  Shared(Client& client, std::size_t most) : resource(client, most) {}

  template <class Change>
  void count(Change change) {
    const std::lock_guard lock(mutex);
    change(counts);
  }

  const base::Birthplace made;
  LockRemoteResource resource;
  mutable std::mutex mutex;
  LockManager::Counts counts;  // guarded by mutex; without held and cached
};

ManagedLock::ManagedLock(std::shared_ptr<Shared> shared, std::string name, std::string value)
    : shared_(std::move(shared)), name_(std::move(name)), value_(std::move(value)) {}

ManagedLock::ManagedLock(ManagedLock&&) noexcept = default;

ManagedLock& ManagedLock::operator=(ManagedLock&& other) noexcept {
  if (this != &other) {
    ManagedLock old(std::move(*this));  // gives back what it holds
    shared_ = std::move(other.shared_);
    name_ = std::move(other.name_);
    value_ = std::move(other.value_);
  }
  return *this;
}

ManagedLock::~ManagedLock() {
  if (shared_ && release() == std::error_code()) {
    base::log().error("a ManagedLock of {} was destroyed while it was held; the lock was given back",
                      base::printable(name_));
  }
}

LockRemoteResource::Result ManagedLock::acquire_until(Clock::time_point deadline, std::stop_token stop) {
  if (!shared_) throw Error(Errc::invalid_argument, "this lock was moved from; use the one that it was moved to");
  if (!shared_->made.is_here()) return shared_->resource.try_acquire_until(name_, value_, deadline);  // forked
  shared_->count([](auto& counts) { ++counts.waiting; });
  auto result = shared_->resource.try_acquire_until(name_, value_, deadline, std::move(stop));
  shared_->count([&](auto& counts) {
    --counts.waiting;
    ++(result                                                               ? counts.acquired
       : result.failure_type() == LockRemoteResource::FailureType::time_out ? counts.timed_out
                                                                            : counts.failed);
  });
  return result;
}

bool ManagedLock::lock_until(Clock::time_point deadline) {
  const auto result = acquire_until(deadline, {});
  if (result) return true;
  if (result.failure_type() == LockRemoteResource::FailureType::time_out) return false;
  if (result.exception()) std::rethrow_exception(result.exception());
  throw Error(result.error(), result.message());
}

void ManagedLock::lock() {
  if (!lock_until(Clock::time_point::max())) throw Error(Errc::timed_out, name_ + " was not acquired in time");
}

void ManagedLock::unlock() noexcept {
  if (release() == Errc::not_owner) {
    base::log().error("unlock() of {}, which is not held; nothing was changed", base::printable(name_));
  }
}

std::error_code ManagedLock::release() noexcept {
  if (!shared_) return Errc::invalid_argument;
  const auto error = shared_->resource.release(name_, value_);
  if (error != Errc::not_owner && error != Errc::forked) {
    shared_->count([&](auto& counts) { ++(error ? counts.lost : counts.released); });
  }
  return error;
}

bool ManagedLock::is_held() const { return shared_ && shared_->resource.is_held(name_, value_); }

LockManager::LockManager(Client& client, std::size_t most)
    : shared_(std::make_shared<ManagedLock::Shared>(client, most)) {}

ManagedLock LockManager::lock(std::string_view name) {
  return ManagedLock(shared_, std::string(name), base::random_uuid());
}

LockManager::Counts LockManager::counts() const {
  Counts counts;
  shared_->count([&](const auto& now) { counts = now; });
  counts.held = shared_->resource.held();
  counts.cached = shared_->resource.cached();
  return counts;
}

LockRemoteResource& LockManager::resource() noexcept { return shared_->resource; }

}  // namespace holdfast
