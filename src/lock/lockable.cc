#include "holdfast/lockable.h"

#include "base/log.h"
#include "holdfast/multi_lock.h"
#include "holdfast/mutex.h"
#include "holdfast/shared_mutex.h"
#include "lock/entry.h"
#include "lock/owner.h"

namespace holdfast {

using lock::Owner;

Lockable::Lockable(std::shared_ptr<Owner> owner) noexcept : owner_(std::move(owner)) {}
Lockable::Lockable(Lockable&&) noexcept = default;

Lockable& Lockable::operator=(Lockable&& other) noexcept {
  if (this != &other) {
    if (owner_) owner_->abandon();
    owner_ = std::move(other.owner_);
  }
  return *this;
}

Lockable::~Lockable() {
  if (owner_) owner_->abandon();
}

void Lockable::lock() { lock_within(Clock::time_point::max()); }

bool Lockable::lock_within(Clock::time_point deadline) {
  const auto outcome = owner_->enter(Owner::Way::lock, {.deadline = deadline});
  if (outcome) return true;
  if (outcome.error().code == Errc::timed_out) return false;
  throw Error(outcome.error().code, outcome.error().message);
}

void Lockable::unlock() noexcept {
  if (owner_->leave() == Errc::not_owner) {
    base::log().error("unlock() of {} by a thread that does not own it; nothing was changed", path());
  }
}

std::error_code Lockable::release() noexcept { return owner_->leave(); }

Lease Lockable::acquire(std::stop_token stop) {
  auto result = acquire_within(Clock::time_point::max(), std::move(stop));
  if (!result) throw Error(result.error(), result.message());
  return std::move(result).lease();
}

AcquireResult Lockable::acquire_within(Clock::time_point deadline, std::stop_token stop) {
  auto outcome = owner_->enter(Owner::Way::lease, {.deadline = deadline, .stop = std::move(stop)});
  if (outcome) return Lease(std::make_shared<lock::Entry>(owner_, *outcome));
  auto& refusal = outcome.error();
  return {refusal.code, std::move(refusal.message), std::move(refusal.holder), refusal.ahead};
}

const std::string& Lockable::path() const noexcept { return owner_->path(); }

bool Mutex::is_held_by_this_thread() const noexcept { return owner_->is_held(true); }
bool MultiLock::is_held_by_this_thread() const noexcept { return owner_->is_held(true); }
bool SharedMutex::is_held_by_this_thread() const noexcept { return owner_->is_held(true); }
bool SharedMutex::is_shared_by_this_thread() const noexcept { return reading_.is_held_by_this_thread(); }
bool SharedMutex::Reading::is_held_by_this_thread() const noexcept { return owner_->is_held(true); }
bool NonReentrantMutex::is_held() const noexcept { return owner_->is_held(false); }

}  // namespace holdfast
