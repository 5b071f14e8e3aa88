#include "server/loop.h"

#include <asio/post.hpp>
#include <chrono>
#include <utility>

#include "base/thread.h"

namespace holdfast::server {
namespace {

// Longer than a disk that is well takes to sync, and much shorter than any session. After one to two of these a disk hangs.
constexpr auto kLook = std::chrono::milliseconds(50);

// Whether this thread was replaced while it was out.
thread_local bool replaced = false;

}  // namespace

void Loop::start() {
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

void Loop::join() {
  one_.join();
  two_.join();
}

void Loop::serve(bool begins) {
  for (bool mine = begins; mine || stand_by(); mine = false) run_handlers();
}

void Loop::run_handlers() {
  replaced = false;
  while (!replaced && context_.run_one() > 0) {
  }
  if (replaced) return;
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void Loop::step_out(const std::function<Rest()>& slow) {
  times_out_.fetch_add(1);
  place_.store(Place::out);
  if (!looking_.load()) {
    // Under the lock, or it could fall asleep without having noticed.
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  auto rest = slow();
  auto expected = Place::out;
  if (place_.compare_exchange_strong(expected, Place::loop)) return rest();
  replaced = true;
  {
    // Before the rest: that may step out itself.
    const std::lock_guard lock(mutex_);
    place_.store(Place::loop);
    changed_.notify_all();
  }
  asio::post(context_, std::move(rest));
}

void Loop::wait_for_slow() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return place_.load() == Place::loop; });
}

bool Loop::stand_by() {
  std::unique_lock lock(mutex_);
  auto seen = times_out_.load();
  while (!ended_) {
    if (changed_.wait_for(lock, kLook, [this] { return ended_; })) break;
    const auto now = times_out_.load();
    const bool same = std::exchange(seen, now) == now;
    if (!same) continue;
    auto expected = Place::out;
    if (place_.compare_exchange_strong(expected, Place::replaced)) return true;
    // Nothing is written: no need to look before something is.
    looking_.store(false);
    changed_.wait(lock, [&] { return ended_ || times_out_.load() != seen; });
    looking_.store(true);
  }
  return false;
}

}  // namespace holdfast::server
