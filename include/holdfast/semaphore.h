// semaphore.h -- a number of permits, across threads, processes and machines.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "holdfast/acquire_result.h"
#include "holdfast/clock.h"
#include "holdfast/language.h"
#include "holdfast/lease.h"

namespace holdfast {

class Client;
namespace lock {
class Permits;
}

// Follows std::counting_semaphore, except that what acquire() returns gives the permits back: a Lease, for all permits of one
// acquire, which is lost as every Lease can be. Not bound to threads. Speaks Curator's InterProcessSemaphoreV2, so the number of
// permits is a convention among its users, or a SharedCount, which may be changed while others wait.
//
// Fair: who asks first is served first, also if it asks for more than others. A waiter is given all the permits it asked for, or none.
//
// Thread safety: all members from any thread. Round trips of an uncontended acquire: two, one more for several permits, one more
// with a SharedCount; a try looks first, two more. A release: none.
class Semaphore {
 public:
  // In one acquire.
  static constexpr std::int64_t kMaxPermits = 1'000;

  // Throws Error: cancelled, not_connected, refused; invalid_argument if `permits` is not between 1 and kMaxPermits, or more than
  // there are and ever will be.
  [[nodiscard]] Lease acquire(std::int64_t permits = 1, std::stop_token stop = {});
  // Does not wait for others: timed_out if there are not enough permits, or, as std allows, if another client is just acquiring.
  AcquireResult try_acquire(std::int64_t permits = 1) { return acquire_within(Clock::time_point(), permits, {}); }
  template <class Rep, class Period>
  AcquireResult try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, std::int64_t permits = 1,
                                std::stop_token stop = {}) {
    return acquire_within(deadline_after(timeout), permits, std::move(stop));
  }
  template <class OtherClock, class Duration>
  AcquireResult try_acquire_until(const std::chrono::time_point<OtherClock, Duration>& deadline,
                                  std::int64_t permits = 1, std::stop_token stop = {}) {
    return acquire_within(deadline_at(deadline), permits, std::move(stop));
  }

  // Where it is on the service.
  const std::string& path() const noexcept;

 private:
  friend class Client;
  explicit Semaphore(std::shared_ptr<lock::Permits> permits) noexcept : permits_(std::move(permits)) {}

  AcquireResult acquire_within(Clock::time_point deadline, std::int64_t permits, std::stop_token stop);

  std::shared_ptr<lock::Permits> permits_;
};

}  // namespace holdfast
