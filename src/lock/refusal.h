// refusal.h -- why an acquire did not succeed; becomes an AcquireResult or an Error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <system_error>

#include "holdfast/card.h"
#include "holdfast/error.h"

namespace holdfast::lock {

struct Refusal {
  std::error_code code;
  std::string message;
  std::optional<Card> holder = std::nullopt;
  std::optional<std::size_t> ahead = std::nullopt;
};

}  // namespace holdfast::lock
