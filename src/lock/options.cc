#include "lock/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/name.h"
#include "holdfast/error.h"
#include "holdfast/handler.h"

namespace holdfast::lock {
namespace {

using std::chrono::milliseconds;

// ZooKeeper's protocol carries timeouts as signed 32-bit milliseconds.
constexpr milliseconds kLongest{std::numeric_limits<std::int32_t>::max()};
// A busy machine could not keep a shorter session alive.
constexpr milliseconds kShortestSession{200};
// A card is sent with every ticket and shown on one line.
constexpr std::size_t kMaxPurpose = 256;

[[noreturn]] void wrong(std::string sentence) { throw Error(Errc::invalid_argument, std::move(sentence)); }

void check_between(const char* what, milliseconds value, milliseconds low, milliseconds high) {
  if (value < low || value > high) {
    wrong(fmt::format("{} is {} ms; it must be between {} and {} ms", what, value.count(), low.count(), high.count()));
  }
}

}  // namespace

ClientOptions checked(ClientOptions options) {
  check_between("the session timeout", options.session_timeout, kShortestSession, kLongest);
  check_between("the connection timeout", options.connection_timeout, milliseconds(1), kLongest);
  check_between("the time bound of a hand-over", options.hand_over.time, milliseconds(0), kLongest);
  check_between("the time for which a ticket is kept", options.hand_over.keep, milliseconds(0), kLongest);
  if (!options.name_space.empty()) {
    auto name_space = base::parse_name(options.name_space);
    if (!name_space) wrong("the name space: " + name_space.error());
    options.name_space = std::move(*name_space);
  }
  if (options.handlers.size() > LockHandler::kMost) {
    wrong(fmt::format("{} handlers; at most {} are allowed", options.handlers.size(), LockHandler::kMost));
  }
  if (std::find(options.handlers.begin(), options.handlers.end(), nullptr) != options.handlers.end()) {
    wrong("a handler is a null pointer; leave it out, or give an object");
  }
  if (options.purpose.size() > kMaxPurpose) {
    wrong(fmt::format("the purpose has {} bytes; at most {} are allowed", options.purpose.size(), kMaxPurpose));
  }
  if (options.program.size() > kMaxPurpose) {
    wrong(fmt::format("the program's name has {} bytes; at most {} are allowed", options.program.size(), kMaxPurpose));
  }
  return options;
}

void check_hold_time(std::string_view what, milliseconds value) {
  constexpr milliseconds kYear = std::chrono::hours(24 * 366);
  if (value >= milliseconds(0) && value <= kYear) return;
  wrong(fmt::format("the {} is {} ms; it must be between 0 and {} ms", what, value.count(), kYear.count()));
}

LockOptions checked_options(LockOptions options, bool may_delay) {
  check_hold_time("minimum hold", options.min_hold);
  check_hold_time("maximum hold", options.max_hold);
  check_hold_time("lock delay", options.lock_delay);
  if (options.max_hold.count() > 0 && options.min_hold > options.max_hold) {
    wrong(fmt::format("the minimum hold ({} ms) is longer than the maximum hold ({} ms)", options.min_hold.count(),
                      options.max_hold.count()));
  }
  if (!may_delay && options.lock_delay.count() > 0) {
    wrong("only a Mutex, NonReentrantMutex or SharedMutex can have a lock delay");
  }
  return options;
}

}  // namespace holdfast::lock
