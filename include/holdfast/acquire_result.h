// acquire_result.h -- a Lease, or why there is none.
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

class [[nodiscard]] AcquireResult {
 public:
  AcquireResult(Lease lease) : lease_(std::move(lease)) {}  // NOLINT(google-explicit-constructor)
  AcquireResult(std::error_code error, std::string message, std::optional<Card> holder,
                std::optional<std::size_t> ahead)
      : error_(error), message_(std::move(message)), holder_(std::move(holder)), ahead_(ahead) {}

  explicit operator bool() const noexcept { return !error_; }

  // The lease; empty after a failure.
  Lease& lease() & noexcept { return lease_; }
  Lease lease() && noexcept { return std::move(lease_); }

  // timed_out, cancelled, deadlock, session_lost, not_connected or refused; empty on success.
  std::error_code error() const noexcept { return error_; }
  // The same as one sentence.
  const std::string& message() const noexcept { return message_; }

  // Who holds the name, as far as was known when the call ended. A try_acquire() that found the name busy never
  // reads the card (one read, no write), so it does not know.
  const std::optional<Card>& holder() const noexcept { return holder_; }
  // How many were ahead of us in the queue when the call ended, the holder included.
  std::optional<std::size_t> ahead() const noexcept { return ahead_; }

 private:
  Lease lease_;
  std::error_code error_;
  std::string message_;
  std::optional<Card> holder_;
  std::optional<std::size_t> ahead_;
};

}  // namespace holdfast
