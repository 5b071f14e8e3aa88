#include "holdfast/lockable.h"

#include "base/log.h"
#include "holdfast/multi_lock.h"
#include "holdfast/mutex.h"
#include "holdfast/shared_mutex.h"
#include "lock/entry.h"
#include "lock/owner.h"
#include "lock/unusable.h"

namespace holdfast {

using lock::Owner;

namespace {

std::optional<lock::Refusal> unusable(const std::shared_ptr<Owner>& owner) {
  return lock::unusable(owner ? &owner->core() : nullptr);
}

bool is_held_through(const std::shared_ptr<Owner>& owner, bool by_this_thread) {
  return !unusable(owner) && owner->is_held(by_this_thread);
}

}  // namespace

Lockable::Lockable(std::shared_ptr<Owner> owner) noexcept : owner_(std::move(owner)) {}
Lockable::Lockable(Lockable&&) noexcept = default;

Lockable& Lockable::operator=(Lockable&& other) noexcept {
  if (this != &other) {
    if (!unusable(owner_)) owner_->abandon();
    owner_ = std::move(other.owner_);
  }
  return *this;
}

Lockable::~Lockable() {
  if (!unusable(owner_)) owner_->abandon();
}

void Lockable::lock() {
  // A handler may have ended the wait.
  if (!lock_within(Clock::time_point::max())) throw Error(Errc::timed_out, path() + " was not acquired in time");
}

bool Lockable::lock_within(Clock::time_point deadline) {
  if (const auto refusal = unusable(owner_)) throw Error(refusal->code, refusal->message);
  const auto outcome = owner_->enter(Owner::Way::lock, {.deadline = deadline});
  if (outcome) return true;
  if (outcome.error().code == Errc::timed_out) return false;
  throw Error(outcome.error().code, outcome.error().message);
}

void Lockable::unlock() noexcept {
  if (release() == Errc::not_owner) {
    base::log().error("unlock() of {} by a thread that does not own it; nothing was changed", path());
  }
}

std::error_code Lockable::release() noexcept {
  if (const auto refusal = unusable(owner_)) return refusal->code;
  return owner_->leave();
}

std::error_code Lockable::release_within(Clock::time_point deadline) noexcept {
  if (const auto refusal = unusable(owner_)) return refusal->code;
  return lock::wait_for_release(deadline, [&](lock::Sweeper::Done done) { return owner_->leave(std::move(done)); });
}

Lease Lockable::acquire(std::stop_token stop) {
  auto result = acquire_within(Clock::time_point::max(), std::move(stop));
  if (!result) throw Error(result.error(), result.message());
  return std::move(result).lease();
}

AcquireResult Lockable::acquire_within(Clock::time_point deadline, std::stop_token stop) {
  if (auto refusal = unusable(owner_)) return {refusal->code, std::move(refusal->message), {}, {}};
  auto outcome = owner_->enter(Owner::Way::lease, {.deadline = deadline, .stop = std::move(stop)});
  if (outcome) return Lease(base::make_shared_here<lock::Entry>(owner_, *outcome));
  auto& refusal = outcome.error();
  return {refusal.code, std::move(refusal.message), std::move(refusal.holder), refusal.ahead};
}

const std::string& Lockable::path() const noexcept {
  static const std::string none;
  return owner_ ? owner_->path() : none;
}

bool Mutex::is_held_by_this_thread() const noexcept { return is_held_through(owner_, true); }
bool MultiLock::is_held_by_this_thread() const noexcept { return is_held_through(owner_, true); }
bool SharedMutex::is_held_by_this_thread() const noexcept { return is_held_through(owner_, true); }
bool SharedMutex::is_shared_by_this_thread() const noexcept { return reading_.is_held_by_this_thread(); }
bool SharedMutex::Reading::is_held_by_this_thread() const noexcept { return is_held_through(owner_, true); }
bool NonReentrantMutex::is_held() const noexcept { return is_held_through(owner_, false); }

}  // namespace holdfast
