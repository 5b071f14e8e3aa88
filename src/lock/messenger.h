// messenger.h -- a thread that runs users' callbacks, so that no other thread of the library has to.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace holdfast::lock {

// Runs the messages in order. All that were delivered before stop() have run when stop() returns, unless the messenger's own thread
// calls stop() (a callback that closes the client).
class Messenger {
 public:
  // `name`: of the thread.
  explicit Messenger(const char* name = "hf-messenger");
  ~Messenger();
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  void deliver(std::function<void()> message);
  void stop();
  // Whether the caller is a message.
  bool is_this_thread() const noexcept { return state_->thread.load() == std::this_thread::get_id(); }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> messages;
    bool stopping = false;
    std::atomic<std::thread::id> thread{};
  };

  // Shared with the thread, which outlives this object when it is the one that destroys it.
  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace holdfast::lock
