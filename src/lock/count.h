// count.h -- makes a shared count, and listens to its changes.
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

// Makes the count with that number, or leaves it as it is if it exists. Throws Error.
void create_count(Core& core, const std::string& full_name, std::int32_t initial);

// Listens to a count as long as this object lives. `changed` is called inside the monitor, first with the present number; a negative
// count means no permits.
class CountWatch {
 public:
  CountWatch(Core& core, const std::string& full_name, std::function<void(std::size_t)> changed);
  ~CountWatch();
  CountWatch(const CountWatch&) = delete;
  CountWatch& operator=(const CountWatch&) = delete;

  // Waits for the first number, as long as the call may wait. Returns why it did not come, if so.
  std::optional<Refusal> ready(const Call& call) const;

 private:
  struct State;

  Core& core_;
  const std::shared_ptr<State> state_;
};

}  // namespace holdfast::lock
