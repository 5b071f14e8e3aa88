// messenger.h -- a thread that runs users' code, so that none of ours ever does.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace holdfast::lock {

// Runs what it is given in order. Everything given before stop() is run before stop() returns, except when stop() is
// called by the messenger's own thread (a user who closes the client from a callback).
class Messenger {
 public:
  // `name`: of the thread.
  explicit Messenger(const char* name = "hf-messenger");
  ~Messenger();
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  void deliver(std::function<void()> message);
  void stop();
  // The caller is a message.
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
