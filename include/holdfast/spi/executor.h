// executor.h -- the one place where everything below the public API runs: the loop and the clock of a client.
#pragma once

#include <cstdint>
#include <functional>

#include "holdfast/clock.h"
#include "holdfast/language.h"

namespace holdfast::spi {

// One function at a time: posted functions, timers and calls from the program's threads exclude each other. Everything below the public API
// relies on that, and has no lock of its own. Time comes from here as well, so that a test or a simulation can own it.
//
// Example, of a backend that tries again in a second unless it is closed before that:
//
//   retry = executor.at(holdfast::later(executor.now(), 1s), [&] { connect(); });
//   executor.cancel(retry);
//
// Ownership: the client owns it, and makes it before the backend and destroys it after the backend. When the client has been closed, nothing
// runs any more, and what is posted then is dropped.
//
// "From inside" means: from a function that the Executor runs, or from a call that the client makes to the backend.
class Executor {
 public:
  using Function = std::function<void()>;
  using TimerId = std::uint64_t;
  static constexpr TimerId kNoTimer = 0;

  virtual ~Executor() = default;

  // From any thread.
  virtual Clock::time_point now() const noexcept = 0;
  // Runs `f` soon, but never inside this call, and after everything that was posted before it by any thread. From any thread: this is all that
  // a thread of a vendor's library may do.
  virtual void post(Function f) = 0;
  // Runs `f` at `when`, or as soon after that as possible. From inside only.
  virtual TimerId at(Clock::time_point when, Function f) = 0;
  // The timer will not run any more. A timer that has run, or never was, is ignored. From inside only.
  virtual void cancel(TimerId timer) = 0;
};

}  // namespace holdfast::spi
