// background_thread.h -- a Background that is a thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "server/loop.h"

namespace holdfast::server {

class BackgroundThread final : public Background {
 public:
  explicit BackgroundThread(const char* name);
  ~BackgroundThread() override;

  void run(std::function<void()> work) override;
  void wait() override;

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> next_;  // none: nothing waits
  bool busy_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace holdfast::server
