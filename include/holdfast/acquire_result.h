// acquire_result.h -- what the try_acquire functions return: a Lease, or why there is none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "holdfast/card.h"
#include "holdfast/error.h"
#include "holdfast/language.h"
#include "holdfast/lease.h"

namespace holdfast {

// Example:
//
//   auto result = mutex.try_acquire_for(2s);
//   if (!result) throw std::runtime_error(result.message());
//   holdfast::Lease lease = std::move(result).lease();
//
// with a message such as "timed out: /orders/123 is held by billing (pid 812) on web1, 1 ahead of us".
//
// A value, and nothing behind it but the lease: if the result is destroyed, so is the lease that it still has. One thread at a time.
class [[nodiscard]] AcquireResult {
 public:
  AcquireResult(Lease lease) : lease_(std::move(lease)) {}  // NOLINT(google-explicit-constructor)
  AcquireResult(std::error_code error, std::string message, std::optional<Card> holder,
                std::optional<std::size_t> ahead)
      : error_(error), message_(std::move(message)), holder_(std::move(holder)), ahead_(ahead) {}

  // True if the lock was acquired.
  explicit operator bool() const noexcept { return !error_; }

  // The lease; empty after a failure.
  Lease& lease() & noexcept { return lease_; }
  Lease lease() && noexcept { return std::move(lease_); }

  // timed_out, cancelled, deadlock, session_lost, not_connected or refused; empty on success.
  std::error_code error() const noexcept { return error_; }
  // The error as one sentence, for people; empty on success.
  const std::string& message() const noexcept { return message_; }

  // The holder, as far as it was known when the call ended. A try_acquire() that finds the name busy does not know it: it makes one read,
  // which shows the queue and not the cards.
  const std::optional<Card>& holder() const noexcept { return holder_; }
  // How many tickets were ahead in the queue when the call ended, the holder's included.
  std::optional<std::size_t> ahead() const noexcept { return ahead_; }

 private:
  Lease lease_;
  std::error_code error_;
  std::string message_;
  std::optional<Card> holder_;
  std::optional<std::size_t> ahead_;
};

}  // namespace holdfast
