// lock_remote_resource.h -- locks by name and value, as lock frameworks know them: the value says who may release.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>

#include "holdfast/acquire_result.h"
#include "holdfast/clock.h"
#include "holdfast/fence.h"
#include "holdfast/language.h"

namespace holdfast {

class Client;

// Locks of one client, over whatever stores it: pushed to (ZooKeeper, our engine, Redis' queues) or asked (Redis' keys). What frameworks for
// distributed locks call the remote resource: tryAcquire(name, value, wait), release(name, value). LockManager (lock_manager.h) is on top.
//
// Example:
//
//   holdfast::LockRemoteResource locks(client);
//   const auto result = locks.try_acquire("orders/1", "worker 7", 2s);
//   if (!result) throw std::runtime_error(result.message());
//   locks.release("orders/1", "worker 7");
//
// The value says whose the hold is, and nothing else does: any thread may release with it, and no other value can. So a value belongs to
// one user of the lock, such as a random UUID for each. It is not re-entrant: who asks again with the value that holds waits as any other,
// and is told time_out.
//
//   state of a name    try_acquire()               release() by the value     release() by another
//   free               -> held                     not_owner                  not_owner
//   held               waits, time_out             -> free                    not_owner, no effect
//   lost               -> held, if it is free      session_lost, -> free      not_owner
//
// A hold that was lost is remembered until its value has released it, or another value has acquired the name.
//
// What stays: one lock object for each name that is in use, and of those that are not the ones that were used last; `most` in all. It is an
// exclusive lock, the same one as Client::mutex(name): both exclude each other.
//
// Handlers of the client (handler.h) are around it, outermost first, as the chain of a framework is.
//
// Ownership: the client must live longer. If this object is destroyed, everything it holds is given back.
//
// Thread safety: all members from any thread.
//
// Round trips: as of a Mutex. Threads that wait for one name share a ticket (HandOver, client.h): the hot lock of frameworks.
class LockRemoteResource {
 public:
  // Of the frameworks. Result::error() says more.
  enum class FailureType {
    time_out,   // the wait is over
    exception,  // it went wrong: no connection, a session lost, a bad name, closed; or a handler threw
    custom,     // it was refused: by a handler, or by the service
  };

  // A value; holds nothing.
  class [[nodiscard]] Result {
   public:
    bool is_success() const noexcept { return !error_; }
    explicit operator bool() const noexcept { return is_success(); }

    // Of a failure; empty after a success.
    std::optional<FailureType> failure_type() const noexcept { return type_; }
    // As of AcquireResult; `refused` if a handler threw what has no code.
    std::error_code error() const noexcept { return error_; }
    const std::string& message() const noexcept { return message_; }
    // Of FailureType::exception: what was thrown, or an Error that says the same. Otherwise none.
    std::exception_ptr exception() const noexcept { return exception_; }

    // Of a success (lease.h); 0 and empty after a failure.
    Token token() const noexcept { return token_; }
    std::stop_token lost() const noexcept { return lost_; }

   private:
    friend class LockRemoteResource;
    std::optional<FailureType> type_;
    std::error_code error_;
    std::string message_;
    std::exception_ptr exception_;
    Token token_ = 0;
    std::stop_token lost_;
  };

  // Names in use at the same time, and kept. More are refused (custom).
  static constexpr std::size_t kMost = 10'000;
  static constexpr std::size_t kLongestValue = 256;

  explicit LockRemoteResource(Client& client, std::size_t most = kMost);
  ~LockRemoteResource();
  LockRemoteResource(const LockRemoteResource&) = delete;
  LockRemoteResource& operator=(const LockRemoteResource&) = delete;

  // Waits at most that long; zero or less: not for a rival. Never throws; what a handler throws is in the result. The value has 1 to
  // kLongestValue bytes.
  template <class Rep, class Period>
  Result try_acquire(std::string_view name, std::string_view value, const std::chrono::duration<Rep, Period>& wait,
                     std::stop_token stop = {}) {
    return try_acquire_until(name, value, deadline_after(wait), std::move(stop));
  }
  Result try_acquire_until(std::string_view name, std::string_view value, Clock::time_point deadline,
                           std::stop_token stop = {});

  // Gives back what this value holds. Does not wait for the service. not_owner: it holds nothing of that name; nothing was changed.
  // session_lost: the hold was lost before.
  std::error_code release(std::string_view name, std::string_view value) noexcept;

  // Whether this value holds the name, right now and provably.
  bool is_held(std::string_view name, std::string_view value) const;
  // How many names are held by a value; and how many lock objects there are, in use or kept.
  std::size_t held() const;
  std::size_t cached() const;

 private:
  struct Cache;

  static Result thrown(std::error_code code, std::string message, std::exception_ptr what);
  Result acquire(std::string_view name, std::string_view value, Clock::time_point deadline, std::stop_token stop);

  Client& client_;
  const std::unique_ptr<Cache> cache_;
};

}  // namespace holdfast
