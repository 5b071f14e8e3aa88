#include "lock/loop.h"

#include <sys/timerfd.h>

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

Loop::Loop() : context_(1), work_(context_.get_executor()), alarm_(context_, make_timerfd()) {
  wait_for_timer();
  thread_ = std::thread([this] { context_.run(); });
}

Loop::~Loop() { stop(); }

void Loop::stop() {
  asio::post(context_, [this] {
    const std::lock_guard inside(monitor_);
    alarm_.close();
    work_.reset();  // run() returns when nothing is left
  });
  if (thread_.joinable()) thread_.join();
}

void Loop::post(Function f) {
  asio::post(context_, [this, f = std::move(f)] {
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
  alarm_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const std::error_code& error) {
    if (error) return;
    std::uint64_t expirations = 0;
    [[maybe_unused]] const auto n = ::read(alarm_.native_handle(), &expirations, sizeof expirations);
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
  if (!alarm_.is_open() || timers_.empty() || timers_.begin()->first.first >= armed_) return;
  armed_ = timers_.begin()->first.first;
  const auto since_boot = std::max(armed_.time_since_epoch(), Clock::duration(1));  // zero would disarm
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  itimerspec at{};
  at.it_value.tv_sec = seconds.count();
  at.it_value.tv_nsec = (since_boot - seconds).count();
  ::timerfd_settime(alarm_.native_handle(), TFD_TIMER_ABSTIME, &at, nullptr);
}

}  // namespace holdfast::lock
