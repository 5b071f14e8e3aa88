#include "server/threaded_loop.h"

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "base/thread.h"
#include "server/background_thread.h"

namespace holdfast::server {
namespace {

// Longer than a disk that is well takes to sync, and much shorter than any session. After one to two of these a disk hangs.
constexpr auto kLook = std::chrono::milliseconds(50);

// Whether this thread was replaced while it was out.
thread_local bool replaced = false;

}  // namespace

void ThreadedLoop::start() {
  // The one that stands by first: it does nothing yet, so it can be ended if the other cannot be started.
  two_ = base::start_thread("hf-engine-2", [this] { serve(false); });
  try {
    one_ = base::start_thread("hf-engine-1", [this] { serve(true); });
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    }
    two_.join();
    throw;
  }
}

void ThreadedLoop::join() {
  one_.join();
  two_.join();
}

engine::Moment ThreadedLoop::now() const noexcept { return std::chrono::steady_clock::now().time_since_epoch(); }

std::chrono::microseconds ThreadedLoop::wall_clock() const noexcept {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch());
}

// One beginning for all engines of this process, so that none of them takes numbers that one before it may have given.
std::chrono::microseconds ThreadedLoop::growing_wall_clock() const noexcept {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  static const auto begin = wall_clock() - duration_cast<microseconds>(now());
  return begin + duration_cast<microseconds>(now());
}

void ThreadedLoop::post(Function f) { asio::post(context_, std::move(f)); }

void ThreadedLoop::at(engine::Moment when, Function f) {
  const auto timer = std::make_shared<asio::steady_timer>(context_, std::chrono::steady_clock::time_point(when));
  timer->async_wait([timer, f = std::move(f)](const std::error_code& error) {
    if (!error) f();
  });
}

std::unique_ptr<Background> ThreadedLoop::background(const char* name) {
  return std::make_unique<BackgroundThread>(name);
}

void ThreadedLoop::serve(bool begins) {
  for (bool mine = begins; mine || stand_by(); mine = false) run_handlers();
}

void ThreadedLoop::run_handlers() {
  replaced = false;
  while (!replaced && context_.run_one() > 0) {
  }
  if (replaced) return;
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void ThreadedLoop::step_out(const std::function<Rest()>& slow) {
  times_out_.fetch_add(1);
  step_out_.store(StepOut::out);
  if (!looking_.load()) {
    // Under the lock, or it could fall asleep without having noticed.
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  auto rest = slow();
  auto expected = StepOut::out;
  if (step_out_.compare_exchange_strong(expected, StepOut::none)) return rest();
  replaced = true;
  {
    // Before the rest: that may step out itself.
    const std::lock_guard lock(mutex_);
    step_out_.store(StepOut::none);
    changed_.notify_all();
  }
  asio::post(context_, std::move(rest));
}

void ThreadedLoop::wait_for_slow() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return step_out_.load() == StepOut::none; });
}

bool ThreadedLoop::stand_by() {
  std::unique_lock lock(mutex_);
  auto seen = times_out_.load();
  while (!ended_) {
    if (changed_.wait_for(lock, kLook, [this] { return ended_; })) break;
    const auto now = times_out_.load();
    const bool same = std::exchange(seen, now) == now;
    if (!same) continue;
    auto expected = StepOut::out;
    if (step_out_.compare_exchange_strong(expected, StepOut::replaced)) return true;
    // Nothing is written: no need to look before something is.
    looking_.store(false);
    changed_.wait(lock, [&] { return ended_ || times_out_.load() != seen; });
    looking_.store(true);
  }
  return false;
}

}  // namespace holdfast::server
