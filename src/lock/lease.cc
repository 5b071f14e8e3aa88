#include "holdfast/lease.h"

#include "holdfast/error.h"
#include "lock/entry.h"

namespace holdfast {
namespace {

// Neither empty nor made by the parent process.
bool usable(const std::shared_ptr<lock::Entry>& entry) noexcept { return entry && entry->is_of_this_process(); }

// In a child of fork(): the hold belongs to the parent.
std::stop_token lost_already() {
  std::stop_source lost;
  lost.request_stop();
  return lost.get_token();
}

}  // namespace

Lease::Lease() noexcept = default;
Lease::Lease(std::shared_ptr<lock::Entry> entry) noexcept : entry_(std::move(entry)) {}
Lease::Lease(Lease&&) noexcept = default;

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    release();
    entry_ = std::move(other.entry_);
  }
  return *this;
}

Lease::~Lease() { release(); }

Token Lease::token() const noexcept { return usable(entry_) ? entry_->hold().token() : 0; }
std::stop_token Lease::lost() const noexcept {
  if (!entry_) return {};
  return usable(entry_) ? entry_->hold().lost() : lost_already();
}
std::stop_token Lease::revoked() const {
  if (!usable(entry_)) return {};
  entry_->listen_for_revocation();
  return entry_->hold().revoked();
}
Clock::time_point Lease::valid_until() const noexcept {
  return usable(entry_) ? entry_->hold().valid_until() : Clock::time_point();
}
bool Lease::is_held() const noexcept { return usable(entry_) && entry_->is_held(); }
std::string Lease::ticket() const { return usable(entry_) ? entry_->hold().ticket() : std::string(); }

std::error_code Lease::release() noexcept {
  if (!entry_) return {};
  return usable(entry_) ? entry_->release() : Errc::forked;
}

std::error_code Lease::release_within(Clock::time_point deadline) noexcept {
  if (!entry_) return {};
  if (!usable(entry_)) return Errc::forked;
  return lock::wait_for_release(deadline, [&](lock::Sweeper::Done done) { return entry_->release(std::move(done)); });
}

}  // namespace holdfast
