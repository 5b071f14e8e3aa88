#include "lock/messenger.h"

#include <memory>

#include "base/process.h"
#include "base/thread.h"

namespace holdfast::lock {

Messenger::Messenger(const char* name) : state_(std::make_shared<State>()) {
  thread_ = base::start_thread(name, [state = state_, made = base::Birthplace()] {
    state->thread = std::this_thread::get_id();
    std::unique_lock lock(state->mutex);
    for (;;) {
      state->changed.wait(lock, [&] { return state->stopping || !state->messages.empty(); });
      if (state->messages.empty()) return;
      auto message = std::move(state->messages.front());
      state->messages.pop_front();
      lock.unlock();
      message();
      if (!made.is_here()) {  // the message called fork(), and this is the child: the rest belongs to the parent
        return base::keep_for_ever(new std::function<void()>(std::move(message)));
      }
      message = nullptr;  // destroys what it owned, outside our lock
      lock.lock();
    }
  });
}

Messenger::~Messenger() { stop(); }

void Messenger::deliver(std::function<void()> message) {
  const auto state = state_;  // the message may destroy this object
  {
    const std::lock_guard lock(state->mutex);
    if (state->stopping) return;
    state->messages.push_back(std::move(message));
  }
  state->changed.notify_one();
}

void Messenger::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_one();
  if (!thread_.joinable()) return;
  if (is_this_thread()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

}  // namespace holdfast::lock
