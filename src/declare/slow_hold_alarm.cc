#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <optional>
#include <thread>

#include "base/log.h"
#include "base/process.h"
#include "base/text.h"
#include "base/thread.h"
#include "holdfast/error.h"
#include "holdfast/handlers.h"

namespace holdfast {

using std::chrono::milliseconds;

// The holds that will be reported, by when, and the thread that does it. Shared with holds that outlive the alarm.
struct SlowHoldAlarm::Watch {
  struct Place;
  struct Entry {
    SlowHold slow;
    Place* place;
  };
  using Due = std::multimap<Clock::time_point, Entry>;

  explicit Watch(Report how) : report(std::move(how)) {}

  // Of one hold: its entry, until it is reported or the hold ends.
  struct Place {
    Place(std::shared_ptr<Watch> of, SlowHold slow) : watch(std::move(of)) {
      const auto when = later(slow.held.since(), slow.limit);
      const std::lock_guard lock(watch->mutex);
      entry = watch->due.emplace(when, Entry{std::move(slow), this});
      if (*entry == watch->due.begin()) watch->changed.notify_one();
    }
    ~Place() {
      const std::lock_guard lock(watch->mutex);
      if (entry) watch->due.erase(*entry);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    const std::shared_ptr<Watch> watch;
    std::optional<Due::iterator> entry;  // guarded by the mutex of the watch
  };

  void run() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      const auto first = due.begin();
      if (first == due.end()) {
        changed.wait(lock);
      } else if (const auto now = Clock::now(); now < first->first) {
        constexpr Clock::duration kLookAtLeastEvery =
            std::chrono::hours(1);  // the clock of `changed` stands still in a suspend
        changed.wait_for(lock, std::min(first->first - now, kLookAtLeastEvery));
      } else {
        const auto slow = std::move(first->second.slow);
        first->second.place->entry.reset();
        due.erase(first);  // reported once
        lock.unlock();
        tell(slow);
        lock.lock();
      }
    }
  }

  void tell(const SlowHold& slow) const noexcept {
    try {
      report(slow);
    } catch (const std::exception& error) {
      base::log().error("the report of a slow hold threw: {}", error.what());
    } catch (...) {
      base::log().error("the report of a slow hold threw");
    }
  }

  const Report report;
  std::mutex mutex;
  std::condition_variable changed;
  Due due;  // these are guarded by mutex
  bool stopping = false;
  std::thread thread;
  const base::Birthplace made;
};

std::string SlowHoldAlarm::SlowHold::message() const {
  return fmt::format("{} has been held for more than {} ms by thread {}{}{}", base::printable(held.path(), 200),
                     limit.count(), held.thread(), held.purpose().empty() ? "" : ": ", base::printable(held.purpose()));
}

namespace {

// What rules say about slow holds. Most say nothing, and then the patterns are not looked through.
class RuleLimits {
 public:
  explicit RuleLimits(std::shared_ptr<const LockRules> rules) : rules_(std::move(rules)) {}

  milliseconds find(const std::string& name) {
    const auto version = rules_->version();
    if (seen_.load() != version) {
      const auto all = rules_->rules();
      any_ = std::any_of(all.begin(), all.end(), [](const LockRules::Rule& rule) { return rule.settings.slow_hold; });
      seen_ = version;
    }
    return any_ ? rules_->find(name).slow_hold.value_or(milliseconds(0)) : milliseconds(0);
  }

 private:
  const std::shared_ptr<const LockRules> rules_;
  std::atomic<std::uint64_t> seen_ = 0;  // the version that `any_` is of; 0 is none
  std::atomic<bool> any_ = false;
};

SlowHoldAlarm::Report or_warning(SlowHoldAlarm::Report report) {
  if (report) return report;
  return [](const SlowHoldAlarm::SlowHold& slow) { base::log().warn("{}", slow.message()); };
}

}  // namespace

SlowHoldAlarm::SlowHoldAlarm(milliseconds limit, Report report)
    : limit_([limit](const LockRequest&) { return limit; }),
      watch_(std::make_shared<Watch>(or_warning(std::move(report)))) {
  if (limit <= milliseconds(0)) {
    throw Error(Errc::invalid_argument,
                fmt::format("the limit of a slow hold is {} ms; it must be more than 0", limit.count()));
  }
}

SlowHoldAlarm::SlowHoldAlarm(std::shared_ptr<const LockRules> rules, Report report)
    : limit_([limits = std::make_shared<RuleLimits>(rules)](const LockRequest& request) {
        return limits->find(request.name());
      }),
      watch_(std::make_shared<Watch>(or_warning(std::move(report)))) {
  if (!rules) throw Error(Errc::invalid_argument, "an alarm for slow holds without rules; give some, or a limit");
}

SlowHoldAlarm::~SlowHoldAlarm() {
  if (!watch_->made.is_here()) {  // the thread is the parent's
    base::keep_for_ever(new std::shared_ptr<Watch>(watch_));
    return;
  }
  {
    const std::lock_guard lock(watch_->mutex);
    watch_->stopping = true;
  }
  watch_->changed.notify_one();
  if (!watch_->thread.joinable()) return;
  // A report may have destroyed the last client that had this alarm.
  if (watch_->thread.get_id() == std::this_thread::get_id()) {
    watch_->thread.detach();
  } else {
    watch_->thread.join();
  }
}

AcquireOutcome SlowHoldAlarm::acquire(const AcquireRequest& request, const AcquireNext& next) {
  const auto limit = limit_(request);
  auto outcome = next(request);
  if (!outcome || limit <= milliseconds(0)) return outcome;
  {
    const std::lock_guard lock(watch_->mutex);
    if (!watch_->thread.joinable()) {
      watch_->thread = base::start_thread("hf-alarm", [watch = watch_] { watch->run(); });
    }
  }
  outcome.keep(std::make_shared<Watch::Place>(watch_, SlowHold{outcome.held(), limit}));
  return outcome;
}

}  // namespace holdfast
