#include "server/background_thread.h"

#include <utility>

#include "base/thread.h"

namespace holdfast::server {

BackgroundThread::BackgroundThread(const char* name) : thread_(base::start_thread(name, [this] { serve(); })) {}

BackgroundThread::~BackgroundThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundThread::run(std::function<void()> work) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !next_; });
    next_ = std::move(work);
  }
  changed_.notify_all();
}

void BackgroundThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !next_ && !busy_; });
}

void BackgroundThread::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return next_ || stopping_; });
    if (stopping_) return;
    {
      const auto work = std::exchange(next_, nullptr);
      busy_ = true;
      lock.unlock();
      work();
    }  // what it keeps goes before it counts as done
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace holdfast::server
