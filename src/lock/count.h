// count.h -- a shared count: making it, and being told of its changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lock/core.h"

namespace holdfast::lock {

// Makes it, with that number; leaves it as it is if it is there. Throws Error.
void create_count(Core& core, const std::string& full_name, std::int32_t initial);

// Listens to a count for as long as it lives. `changed` is called inside the monitor, first with what was there; a negative count
// is none.
class CountWatch {
 public:
  CountWatch(Core& core, const std::string& full_name, std::function<void(std::size_t)> changed);
  ~CountWatch();
  CountWatch(const CountWatch&) = delete;
  CountWatch& operator=(const CountWatch&) = delete;

  // Waits until the first number is there, as long as the call may. Why it is not, if so.
  std::optional<Refusal> ready(const Call& call) const;

 private:
  struct State;

  Core& core_;
  const std::shared_ptr<State> state_;
};

}  // namespace holdfast::lock
