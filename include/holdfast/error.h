// error.h -- what can go wrong, and how it is said.
//
// A call that has no other way to say so throws Error. A call that returns a std::error_code or an AcquireResult does not throw. All carry an
// Errc, which also compares equal to the std::errc beside it.
//
// Example:
//
//   const auto result = mutex.try_acquire_for(2s);
//   if (result.error() == std::errc::timed_out) return;                         // the same as holdfast::Errc::timed_out
//   if (result.error()) throw holdfast::Error(result.error(), result.message());
//
// Whatever the error, nothing is left behind: no ticket in a queue, no hold of which the caller does not know.
//
//   Errc               std::errc it equals           what to do
//   timed_out          timed_out                     a rival holds the lock, or the service did not answer in time; try again later
//   cancelled          operation_canceled            nothing: the program asked for it
//   deadlock           resource_deadlock_would_occur release what this thread holds; take locks in one order, or as a MultiLock
//   session_lost       owner_dead                    stop the work, release, and acquire again
//   not_connected      not_connected                 is the service running, and the address right? The message says which server said what
//   refused            permission_denied             trying again will not help; the message says what was refused and why
//   not_owner          operation_not_permitted       a mistake in the caller: release by the thread and the object that acquired
//   invalid_argument   invalid_argument              a mistake in the caller; the message says what would be right
//   forked             no_such_process               connect a Client in the child
//   unsupported        not_supported                 this store does not have it; the message says which does, or what it has
#pragma once

#include <string>
#include <system_error>

#include "holdfast/language.h"

namespace holdfast {

enum class Errc {
  timed_out = 1,     // the deadline came first
  cancelled,         // a stop was requested, or the client was closed
  deadlock,          // the wait could never end
  session_lost,      // the hold, or the session that it depended on, is gone
  not_connected,     // the service was not reached, and the retry policy has ended
  refused,           // the service or a limit says no, and would say no again
  not_owner,         // this thread or object does not hold the lock
  invalid_argument,  // an option, URL or name that makes no sense, or an object that was moved from
  forked,            // the object was made by the parent of this process, and is of use only there
  unsupported,       // the store cannot do that at all: another kind of store, or mode, can
};

const std::error_category& error_category() noexcept;
std::error_code make_error_code(Errc code) noexcept;

// What is thrown. what() is one sentence: what went wrong, why if that is known, and what would be right. code() is the Errc.
class Error : public std::system_error {
 public:
  Error(std::error_code code, std::string sentence);
  Error(Errc code, std::string sentence) : Error(make_error_code(code), std::move(sentence)) {}

  const char* what() const noexcept override { return sentence_.c_str(); }

 private:
  std::string sentence_;
};

}  // namespace holdfast

template <>
struct std::is_error_code_enum<holdfast::Errc> : std::true_type {};
