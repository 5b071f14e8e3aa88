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

// A bound on how many clients do something at the same time: for instance, at most three imports on ten machines. Made by
// Client::semaphore(). It uses the nodes of Curator's InterProcessSemaphoreV2, and shares its permits.
//
// Example:
//
//   holdfast::Semaphore imports = client.semaphore("imports", 3);
//   holdfast::Lease lease = imports.acquire();  // one permit, until `lease` is destroyed
//
// As std::counting_semaphore, except that acquire() returns a Lease, which gives the permits back. The lease stands for all permits of one
// acquire; they are lost together, as every Lease can be. Not bound to threads, and not re-entrant.
//
// How many permits there are is not stored, unless they are a SharedCount: all users of the name have to give the same number. A SharedCount
// may be changed while clients wait: more permits wake waiters, fewer take nothing away from a holder.
//
// Fair: first come, first served, also if the first asks for more than the next. A waiter is given all the permits it asked for, or none.
//
// Round trips: an uncontended acquire two; one more for several permits, one more with a SharedCount; a try_acquire() looks first, two more
// (a busy one with a fixed number of permits: one read, no write). A release none.
//
// Thread safety: all members from any thread. Moved from, or in a child of fork(): as Lockable.
class Semaphore {
 public:
  // The most permits of one acquire.
  static constexpr std::int64_t kMaxPermits = 1'000;

  // Waits as long as it takes, or until a stop is requested. Throws Error: cancelled, not_connected, refused; invalid_argument if `permits`
  // is not between 1 and kMaxPermits, or is more than the semaphore can ever have.
  [[nodiscard]] Lease acquire(std::int64_t permits = 1, std::stop_token stop = {});
  // Does not wait for rivals: timed_out if not enough permits are free or, as std allows, if another client is acquiring at that moment.
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

  // Where it is on the service, such as "/app/imports".
  const std::string& path() const noexcept;

 private:
  friend class Client;
  explicit Semaphore(std::shared_ptr<lock::Permits> permits) noexcept : permits_(std::move(permits)) {}

  AcquireResult acquire_within(Clock::time_point deadline, std::int64_t permits, std::stop_token stop);

  std::shared_ptr<lock::Permits> permits_;
};

}  // namespace holdfast
