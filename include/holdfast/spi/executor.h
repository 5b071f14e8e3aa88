// executor.h -- where a client's state machines run.
#pragma once

#include <cstdint>
#include <functional>

#include "holdfast/clock.h"
#include "holdfast/language.h"

namespace holdfast::spi {

// One function at a time: whatever is posted, whatever a timer runs and whatever enters from a caller's thread exclude
// each other. Everything below the public API relies on that and has no lock of its own.
//
// The client owns it. It is there before the backend that is made with it and until after that has been destroyed. When the client has been
// closed, nothing runs any more: what is posted then is dropped.
class Executor {
 public:
  using Function = std::function<void()>;
  using TimerId = std::uint64_t;
  static constexpr TimerId kNoTimer = 0;

  virtual ~Executor() = default;

  virtual Clock::time_point now() const noexcept = 0;
  // Runs `f` soon, never inside this call, and after everything that was posted before it, by this thread or another. Any thread; this is all
  // that a vendor's callback thread may do.
  virtual void post(Function f) = 0;
  // Runs `f` at `when` or as soon after as possible. From inside only.
  virtual TimerId at(Clock::time_point when, Function f) = 0;
  // The timer will not run any more. From inside only. Unknown or past timers are ignored.
  virtual void cancel(TimerId timer) = 0;
};

}  // namespace holdfast::spi
