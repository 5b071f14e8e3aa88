#include "lock/loop.h"

#include <sys/timerfd.h>

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <cerrno>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/assert.h"
#include "base/thread.h"

namespace holdfast::lock {
namespace {

int make_timerfd() {
  const int fd = ::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  return fd;
}

}  // namespace

struct Loop::Watched {
  std::optional<asio::posix::stream_descriptor> descriptor;  // none after the end: it must not outlive the context
  Function ready;
  bool wants_room = false;
  bool over = false;  // a handler may still be in the context

  void end() {
    if (std::exchange(over, true)) return;
    descriptor->release();  // its owner closes it
    descriptor.reset();
  }
};

struct Loop::Machinery {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  // A timerfd: Asio's own timers stand still while the machine is suspended.
  asio::posix::stream_descriptor alarm{context, make_timerfd()};
  std::set<std::shared_ptr<Watched>> watched;
};

class Loop::Watch final : public Readiness {
 public:
  Watch(Loop& loop, std::shared_ptr<Watched> watched) : loop_(loop), watched_(std::move(watched)) {}
  ~Watch() override {
    watched_->end();
    if (loop_.machinery_) loop_.machinery_->watched.erase(watched_);
  }
  void when_writable() override {
    if (!watched_->over && !std::exchange(watched_->wants_room, true)) loop_.wait_for(watched_, true);
  }

 private:
  Loop& loop_;
  const std::shared_ptr<Watched> watched_;
};

Loop::Loop() : machinery_(std::make_unique<Machinery>()) {
  wait_for_timer();
  thread_ = base::start_thread("hf-loop", [this] { machinery_->context.run(); });
}

Loop::~Loop() { stop(); }

void Loop::stop() {
  if (!thread_.joinable()) return;
  asio::post(machinery_->context, [this] {
    const std::lock_guard inside(monitor_);
    machinery_->alarm.close();
    for (const auto& each : machinery_->watched) each->end();
    machinery_->work.reset();  // run() returns when nothing is left
  });
  thread_.join();
  // Functions that were posted too late are destroyed, outside our locks.
  std::unique_ptr<Machinery> gone;
  std::vector<Function> too_late;
  const std::scoped_lock both(monitor_, posting_);
  gone.swap(machinery_);
  too_late.swap(posted_);
}

void Loop::post(Function f) {
  const std::lock_guard lock(posting_);
  if (!machinery_) return;
  posted_.push_back(std::move(f));
  if (runs_posted_) return;
  try {
    asio::post(machinery_->context, [this] { run_posted(); });
    runs_posted_ = true;
  } catch (...) {
    posted_.pop_back();
    throw;
  }
}

// Functions posted meanwhile have to wait until sockets and timers have had their turn.
void Loop::run_posted() {
  std::vector<Function> posted;
  {
    const std::lock_guard lock(posting_);
    posted.swap(posted_);
  }
  for (auto& f : posted) {
    {
      const std::lock_guard inside(monitor_);
      f();
    }
    f = nullptr;  // destroys what it owns, outside the monitor
  }
  const std::lock_guard lock(posting_);
  HOLDFAST_ASSERT(runs_posted_ && machinery_, runs_posted_);
  runs_posted_ = !posted_.empty();
  if (runs_posted_) asio::post(machinery_->context, [this] { run_posted(); });
}

Loop::TimerId Loop::at(Clock::time_point when, Function f) {
  const TimerId id = ++last_timer_;
  timers_.emplace(Due{when, id}, std::move(f));
  due_.emplace(id, when);
  arm();
  return id;
}

void Loop::cancel(TimerId timer) {
  const auto due = due_.find(timer);
  if (due == due_.end()) return;
  timers_.erase({due->second, timer});
  due_.erase(due);
  // The alarm stays set: an alarm that finds nothing due costs less than setting it anew for every cancelled timer.
}

std::unique_ptr<Loop::Readiness> Loop::watch(int fd, Function ready) {
  if (!machinery_) return nullptr;
  auto watched = std::make_shared<Watched>();
  watched->descriptor.emplace(machinery_->context);
  watched->ready = std::move(ready);
  std::error_code error;
  watched->descriptor->assign(fd, error);
  if (error) return nullptr;
  machinery_->watched.insert(watched);
  wait_for(watched, false);
  return std::make_unique<Watch>(*this, std::move(watched));
}

void Loop::wait_for(const std::shared_ptr<Watched>& watched, bool writable) {
  using asio::posix::descriptor_base;
  watched->descriptor->async_wait(writable ? descriptor_base::wait_write : descriptor_base::wait_read,
                                  [this, watched, writable](const std::error_code&) {
                                    const std::lock_guard inside(monitor_);
                                    if (watched->over) return;
                                    if (writable) watched->wants_room = false;
                                    watched->ready();  // an error shows when it reads
                                    if (!watched->over && !writable) wait_for(watched, false);
                                  });
}

void Loop::wait_for_timer() {
  machinery_->alarm.async_wait(asio::posix::stream_descriptor::wait_read, [this](const std::error_code& error) {
    if (error) return;
    std::uint64_t expirations = 0;
    [[maybe_unused]] const auto n = ::read(machinery_->alarm.native_handle(), &expirations, sizeof expirations);
    run_due_timers();
    wait_for_timer();
  });
}

void Loop::run_due_timers() {
  const std::lock_guard inside(monitor_);
  armed_ = Clock::time_point::max();
  while (!timers_.empty() && timers_.begin()->first.first <= now()) {
    auto node = timers_.extract(timers_.begin());
    due_.erase(node.key().second);
    node.mapped()();
  }
  arm();
}

void Loop::arm() {
  if (!machinery_ || !machinery_->alarm.is_open() || timers_.empty() || timers_.begin()->first.first >= armed_) return;
  armed_ = timers_.begin()->first.first;
  const auto since_boot = std::max(armed_.time_since_epoch(), Clock::duration(1));  // zero would disarm
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  itimerspec at{};
  at.it_value.tv_sec = seconds.count();
  at.it_value.tv_nsec = (since_boot - seconds).count();
  ::timerfd_settime(machinery_->alarm.native_handle(), TFD_TIMER_ABSTIME, &at, nullptr);
}

}  // namespace holdfast::lock
