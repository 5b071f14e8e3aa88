#include "holdfast/lease.h"

#include "holdfast/error.h"
#include "lock/entry.h"
#include "lock/signal.h"

namespace holdfast {

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

Token Lease::token() const noexcept { return entry_ ? entry_->hold().token() : 0; }
std::stop_token Lease::lost() const noexcept { return entry_ ? entry_->hold().lost() : std::stop_token(); }
std::stop_token Lease::revoked() const {
  if (!entry_) return {};
  entry_->listen_for_revocation();
  return entry_->hold().revoked();
}
Clock::time_point Lease::valid_until() const noexcept {
  return entry_ ? entry_->hold().valid_until() : Clock::time_point();
}
bool Lease::is_held() const noexcept { return entry_ && entry_->is_held(); }
std::string Lease::ticket() const { return entry_ ? entry_->hold().ticket() : std::string(); }

std::error_code Lease::release() noexcept { return entry_ ? entry_->release() : std::error_code(); }

std::error_code Lease::release_until(Clock::time_point deadline) noexcept {
  if (!entry_) return {};
  // Shared with the callback, which may come long after we have stopped waiting.
  const auto acknowledged = std::make_shared<lock::Signal>();
  if (const auto error = entry_->release([acknowledged] { acknowledged->set(); })) return error;
  return acknowledged->wait_until(deadline) ? std::error_code() : Errc::timed_out;
}

}  // namespace holdfast
