#include "holdfast/semaphore.h"

#include <fmt/format.h>

#include "holdfast/error.h"
#include "lock/entry.h"
#include "lock/permits.h"
#include "lock/unusable.h"

namespace holdfast {

Lease Semaphore::acquire(std::int64_t permits, std::stop_token stop) {
  auto result = acquire_within(Clock::time_point::max(), permits, std::move(stop));
  if (!result) throw Error(result.error(), result.message());
  return std::move(result).lease();
}

AcquireResult Semaphore::acquire_within(Clock::time_point deadline, std::int64_t permits, std::stop_token stop) {
  if (auto refusal = lock::unusable(permits_ ? &permits_->owner()->core() : nullptr)) {
    return {refusal->code, std::move(refusal->message), {}, {}};
  }
  const auto most = permits_->most();
  if (permits < 1 || permits > most) {
    throw Error(Errc::invalid_argument,
                fmt::format("{} permits were asked for; it must be between 1 and {}", permits, most));
  }
  const auto& owner = permits_->owner();
  auto outcome =
      owner->enter(lock::Owner::Way::lease,
                   {.deadline = deadline, .stop = std::move(stop), .permits = static_cast<std::size_t>(permits)});
  if (outcome) return Lease(base::make_shared_here<lock::Entry>(owner, *outcome));
  auto& refusal = outcome.error();
  return {refusal.code, std::move(refusal.message), std::move(refusal.holder), refusal.ahead};
}

const std::string& Semaphore::path() const noexcept {
  static const std::string none;
  return permits_ ? permits_->path() : none;
}

}  // namespace holdfast
