#include "lock/loop.h"

#include <sys/timerfd.h>

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <cerrno>
#include <system_error>

namespace holdfast::lock {
namespace {

int make_timerfd() {
  const int fd = ::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  return fd;
}

}  // namespace

struct Loop::Machinery {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  // A timerfd: Asio's own timers stand still while the machine is suspended.
  asio::posix::stream_descriptor alarm{context, make_timerfd()};
};

Loop::Loop() : machinery_(std::make_unique<Machinery>()) {
  wait_for_timer();
  thread_ = std::thread([this] { machinery_->context.run(); });
}

Loop::~Loop() { stop(); }

void Loop::stop() {
  asio::post(machinery_->context, [this] {
    const std::lock_guard inside(monitor_);
    machinery_->alarm.close();
    machinery_->work.reset();  // run() returns when nothing is left
  });
  if (thread_.joinable()) thread_.join();
}

void Loop::post(Function f) {
  asio::post(machinery_->context, [this, f = std::move(f)] {
    const std::lock_guard inside(monitor_);
    f();
  });
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
  // The alarm stays as it is: one that finds nothing due costs less than setting it for every cancelled timer.
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
  if (!machinery_->alarm.is_open() || timers_.empty() || timers_.begin()->first.first >= armed_) return;
  armed_ = timers_.begin()->first.first;
  const auto since_boot = std::max(armed_.time_since_epoch(), Clock::duration(1));  // zero would disarm
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  itimerspec at{};
  at.it_value.tv_sec = seconds.count();
  at.it_value.tv_nsec = (since_boot - seconds).count();
  ::timerfd_settime(machinery_->alarm.native_handle(), TFD_TIMER_ABSTIME, &at, nullptr);
}

}  // namespace holdfast::lock
