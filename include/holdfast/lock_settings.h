// lock_settings.h -- what a program's settings say about its locks, by their names; from a file (settings.h) or from code.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/language.h"
#include "holdfast/lock_options.h"

namespace holdfast {

// Which kind of lock a declared lock is. In a file: mutex, non-reentrant, read, write, semaphore, multi.
enum class LockType { mutex, non_reentrant, read, write, semaphore, multi };

// "non-reentrant", and so on.
std::string_view to_string(LockType type) noexcept;

// What is said about the hand-over of a lock; the rest is that of ClientOptions::hand_over.
struct HandOverSettings {
  std::optional<unsigned> count{};
  std::optional<std::chrono::milliseconds> time{};
  std::optional<std::chrono::milliseconds> keep{};

  friend bool operator==(const HandOverSettings&, const HandOverSettings&) = default;
};

// What is said about a lock. What is not said is as the code has it, or as by default.
//
//   member                                    asked by                    when
//   min_hold, max_hold, lock_delay, hand_over every lock object           at each acquire that is not a re-entry
//   slow_hold                                 the alarm for slow holds    at each acquire
//   type, wait, permits                       declared locks              at each call
//
// Code wins: a member of LockOptions, or of a declared lock's specification, that is not what it is by default counts, whatever is said here.
// So settings cannot shorten what a program relies on, and a program that leaves a value alone leaves it to its settings. acquire() and lock()
// wait as long as it takes: that is what the code says with them.
//
// Of settings and code together, a min_hold that would outlast the max_hold ends with it. A MultiLock goes by the settings of its first name.
// Locks that have no lock delay (Semaphore, MultiLock) pass over that of settings.
struct LockSettings {
  std::optional<LockType> type{};
  std::optional<std::chrono::milliseconds> wait{};
  std::optional<std::chrono::milliseconds> min_hold{};
  std::optional<std::chrono::milliseconds> max_hold{};
  std::optional<std::chrono::milliseconds> lock_delay{};
  HandOverSettings hand_over{};
  // A hold that lasts longer is reported. 0: never.
  std::optional<std::chrono::milliseconds> slow_hold{};
  std::optional<std::int64_t> permits{};

  friend bool operator==(const LockSettings&, const LockSettings&) = default;
};

// Which locks have which settings, by patterns of their names. They may be replaced while the program runs; a client asks for them at every
// acquire (ClientOptions::locks), so lock objects that exist already follow.
//
// Example:
//
//   using namespace std::chrono_literals;
//   auto rules = std::make_shared<holdfast::LockRules>();
//   rules->replace({{"**", {.slow_hold = 30s}}, {"orders/*", {.max_hold = 1min}}});
//   auto client = holdfast::Client::connect("memory:", {.locks = rules});
//
// A pattern is a name in which
//
//   *    stands for any characters of one part:    orders/*   is orders/1, but neither orders nor orders/1/items
//   ?    stands for one character, not a slash:     shard-?    is shard-7, but not shard-12
//   **   as a whole part, for any number of parts:  orders/**  is orders, orders/1 and orders/1/items
//   \    before one of these, or before itself:     what\?     is what?
//
// If several patterns fit a name, each setting is that of the most specific one that has it: `**` may say what holds for all locks, and
// `orders/*` only what differs. More specific is, at the first part in which two patterns differ, a part without *, ? and ** before one with
// them; of two with them, that which has more other characters; and ** is last. Of two that are alike in this, the later one counts.
//
// Names are those that the client is given: without its name space.
//
// Ownership: held by a std::shared_ptr, by the program and by as many clients as it likes.
//
// Thread safety: all members from any thread. A child of fork() makes rules of its own.
//
// Cost: an acquire looks at one atomic number. Only after a change does each lock object look through all patterns, once.
class LockRules {
 public:
  struct Rule {
    std::string pattern;
    LockSettings settings;

    friend bool operator==(const Rule&, const Rule&) = default;
  };
  // More are a mistake: every name is compared with every pattern.
  static constexpr std::size_t kMost = 1000;

  // Throws Error(invalid_argument): a pattern that fits no name, twice the same pattern, a value that makes no sense, too many rules. The
  // message says which, and what would be right.
  explicit LockRules(std::vector<Rule> rules = {});
  ~LockRules();
  LockRules(const LockRules&) = delete;
  LockRules& operator=(const LockRules&) = delete;

  // Counts for every acquire that begins after it returns. Holds that exist end as they would have. Throws as the constructor does, and then
  // changes nothing.
  void replace(std::vector<Rule> rules);

  // Of the lock of this name: all that is said about it.
  LockSettings find(std::string_view name) const;
  std::vector<Rule> rules() const;
  // Grows with every replace().
  std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }

 private:
  struct Table;

  mutable std::mutex mutex_;
  std::shared_ptr<const Table> table_;  // guarded by mutex_; a table never changes
  std::atomic<std::uint64_t> version_ = 1;
};

}  // namespace holdfast
