// error.h -- what can go wrong, and how it is said.
//
// Calls that cannot return a value throw Error. Calls that can, return a std::error_code or an AcquireResult. Both carry
// an Errc, which also compares equal to the std::errc beside it, so `error == std::errc::timed_out` works.
#pragma once

#include <string>
#include <system_error>

#include "holdfast/language.h"

namespace holdfast {

enum class Errc {
  timed_out = 1,  // std::errc::timed_out: the deadline came first
  cancelled,      // std::errc::operation_canceled: stop requested, or the client was closed
  deadlock,       // std::errc::resource_deadlock_would_occur
  session_lost,   // std::errc::owner_dead: the hold or the session it rested on is gone
  not_connected,  // std::errc::not_connected: the service was not reached, and the retry policy has ended
  refused,        // std::errc::permission_denied: the service or a limit says no; retrying will not help
  not_owner,      // std::errc::operation_not_permitted: this thread or object does not hold it
  invalid_argument,  // std::errc::invalid_argument: an option, URL or name that makes no sense, or an object that was moved from
  forked,  // std::errc::no_such_process: made by the process that this one was forked from, and of use there only
};

const std::error_category& error_category() noexcept;
std::error_code make_error_code(Errc code) noexcept;

// what() is one sentence: what is wrong and, where we know it, what would be right.
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
