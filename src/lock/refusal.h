// refusal.h -- why an acquire did not succeed; becomes an AcquireResult or an Error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <system_error>

#include "holdfast/card.h"
#include "holdfast/error.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::lock {

struct Refusal {
  std::error_code code;
  std::string message;
  std::optional<Card> holder = std::nullopt;
  std::optional<std::size_t> ahead = std::nullopt;
};

inline Errc errc_of(spi::Status status) {
  switch (status) {
    case spi::Status::denied: return Errc::refused;
    case spi::Status::unsupported: return Errc::unsupported;
    case spi::Status::closed: return Errc::cancelled;
    case spi::Status::absent: return Errc::session_lost;
    default: return Errc::not_connected;
  }
}

template <class T>
Refusal refusal_of(const spi::Reply<T>& reply) {
  return {errc_of(reply.status), reply.detail};
}

}  // namespace holdfast::lock
