// handlers.h -- handlers that come with the library (handler.h): a log, counts, an alarm, rules by name, a gate, the trace of a request.
//
// Example:
//
//   auto counters = std::make_shared<holdfast::LockCounters>();
//   auto alarm = std::make_shared<holdfast::SlowHoldAlarm>(30s);
//   auto client = holdfast::Client::connect("memory:", {.handlers = {counters, alarm}});
//   { const auto lease = client.mutex("orders/1").acquire(); }
//   std::cout << counters->counts().acquired << "\n";
//
// Names are given by patterns: orders/*, shard-?, billing/** (lock_settings.h). A pattern that cannot be read throws Error(invalid_argument).
// A MultiLock fits if one of its names does.
//
// Ownership: as all handlers. A child of fork() makes handlers of its own.
//
// Thread safety: all members from any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/handler.h"
#include "holdfast/language.h"
#include "holdfast/lock_settings.h"

namespace holdfast {

// One line for every acquire, release and loss:
//
//   acquire|orders/1|true|12       acquired after 12 ms; false: not acquired
//   release|orders/1|true|340      given back after 340 ms; false: it had been lost before
//   lost|orders/1|340              lost after 340 ms
//
// Of a MultiLock all names, with commas between them. Times are whole milliseconds, rounded down. A name may have a | in it: read the line
// from its end.
class AccessLog final : public LockHandler {
 public:
  // Called with each line, without a line end; from any thread, several at the same time.
  using Sink = std::function<void(std::string_view line)>;

  // Into the library's log, as info: a program that wants to see it registers spdlog's logger "holdfast" (client.h).
  AccessLog();
  explicit AccessLog(Sink sink);
  // Appends to a file, with the time (UTC) and the process before each line. Each line is one write, so many processes can share the file.
  // Throws Error(invalid_argument) if it cannot be opened. What cannot be written is left out, and logged once.
  static std::shared_ptr<AccessLog> to_file(const std::string& path);

  AcquireOutcome acquire(const AcquireRequest& request, const AcquireNext& next) override;
  void release(const HeldLock& held, const ReleaseNext& next) override;
  void on_lost(const HeldLock& held) override;

 private:
  const Sink sink_;
};

// How many durations fell where: bucket i has those of at most 2^i microseconds, the last one all that are longer.
struct LockHistogram {
  static constexpr std::size_t kBuckets = 40;

  std::array<std::uint64_t, kBuckets> buckets{};
  std::uint64_t count = 0;
  Clock::duration sum{};

  void add(Clock::duration duration);
  static Clock::duration upper_bound(std::size_t bucket);
  // The bound of the bucket in which that part of all durations (0.5: half of them) has been reached; 0 if there are none.
  Clock::duration quantile(double part) const;
};

// Counts, of all locks or of those whose names fit a pattern.
class LockCounters final : public LockHandler {
 public:
  struct Counts {
    std::uint64_t acquired = 0;
    std::uint64_t timed_out = 0;
    std::uint64_t failed = 0;    // for any other reason
    std::uint64_t thrown = 0;    // by a handler after this one
    std::uint64_t released = 0;  // while they were held
    std::uint64_t lost = 0;
    std::size_t acquiring = 0;  // calls under way
    std::size_t held = 0;       // and not let go of by their owners; so lost ones count until then
    LockHistogram wait{};       // from the call to the hold
    LockHistogram hold{};       // from the hold to its release
  };

  explicit LockCounters(std::string_view pattern = "**");
  ~LockCounters() override;

  // All of one moment.
  Counts counts() const;

  AcquireOutcome acquire(const AcquireRequest& request, const AcquireNext& next) override;
  void release(const HeldLock& held, const ReleaseNext& next) override;
  void on_lost(const HeldLock& held) override;

 private:
  struct Pattern;

  const std::unique_ptr<const Pattern> pattern_;
  mutable std::mutex mutex_;
  Counts counts_;
};

// Reports a hold that lasts too long, once, while it lasts.
class SlowHoldAlarm final : public LockHandler {
 public:
  struct SlowHold {
    HeldLock held;  // which lock, which thread, since when, with which purpose and trace
    std::chrono::milliseconds limit;

    // "/orders/1 has been held for more than 30000 ms by thread 815: monthly run"
    std::string message() const;
  };
  // Called on a thread of the alarm; should not take long, as other reports wait.
  using Report = std::function<void(const SlowHold&)>;

  // Holds that last longer than `limit`. Without a report: a warning in the library's log.
  explicit SlowHoldAlarm(std::chrono::milliseconds limit, Report report = {});
  // As LockSettings::slow_hold says of the name when it is acquired; what it says nothing about is not reported.
  explicit SlowHoldAlarm(std::shared_ptr<const LockRules> rules, Report report = {});
  ~SlowHoldAlarm() override;

  AcquireOutcome acquire(const AcquireRequest& request, const AcquireNext& next) override;

 private:
  struct Watch;

  const std::function<std::chrono::milliseconds(const LockRequest&)> limit_;
  const std::shared_ptr<Watch> watch_;
};

// Which names this client may lock.
class NameRules final : public LockHandler {
 public:
  struct Patterns {
    std::vector<std::string> allow{};  // empty: all
    std::vector<std::string> deny{};   // counts more
  };

  explicit NameRules(const Patterns& patterns);
  ~NameRules() override;

  // Errc::refused, with the name and the rule, if one of the names may not be locked.
  AcquireOutcome acquire(const AcquireRequest& request, const AcquireNext& next) override;

 private:
  struct Parsed;

  const std::unique_ptr<const Parsed> parsed_;
};

// Lets at most `width` threads of this program at a time hold, or wait on the service for, each name that fits the pattern. The others stand
// in line here, first come, first served, and are unknown to the service.
//
// Threads of one client share a ticket anyway (HandOver, client.h), which costs less than a gate: with a gate no thread is in line after the
// holder, so every hold costs a round trip. A gate is for what that cannot do: several clients of a program as one, or a bound on the threads
// that a service sees.
//
// Only for what is exclusive: Mutex, NonReentrantMutex, SharedMutex to write, and MultiLock unless its first name is read. The gate of a lost
// hold opens when its owner lets go of it.
//
// It ends a wait at the deadline, at a stop, and when the client is closed. DeadlockDetection does not see it: only a thread that would wait
// for itself is told (deadlock), at a width of 1.
class LocalGate final : public LockHandler {
 public:
  explicit LocalGate(std::string_view pattern, std::size_t width = 1);
  ~LocalGate() override;

  // How many threads stand in line before the gates right now, over all names.
  std::size_t waiting() const;

  AcquireOutcome acquire(const AcquireRequest& request, const AcquireNext& next) override;

 private:
  struct Gates;

  const std::shared_ptr<Gates> gates_;
};

// Writes into each card which request of the program the lock is taken for, so that an operator who looks at a waiter or holder (inspect,
// `holdfast show`) finds it in the traces. A ticket has the card of the thread that made it: threads that are handed the lock by another
// thread of this client (HandOver) do not change it.
class TraceContext final : public LockHandler {
 public:
  // `current` says the context of the calling thread, such as a W3C traceparent; empty if there is none. At most 256 bytes are kept.
  explicit TraceContext(std::function<std::string()> current);

  AcquireOutcome acquire(const AcquireRequest& request, const AcquireNext& next) override;

 private:
  const std::function<std::string()> current_;
};

}  // namespace holdfast
