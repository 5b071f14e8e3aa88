#include "cli/demo/queue_watcher.h"

#include <chrono>
#include <utility>

#include "holdfast/error.h"

namespace holdfast::cli::demo {
namespace {

// Often enough to see every queue that the screen shows; two reads each.
constexpr std::chrono::milliseconds kInterval{50};

}  // namespace

QueueWatcher::QueueWatcher(const ServiceSettings& settings, std::string lock)
    : lock_(std::move(lock)), client_(connect(settings, {.purpose = "demo"})) {
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

QueueWatcher::~QueueWatcher() {
  thread_.request_stop();
  client_.close();  // wakes an inspect() that waits for the service
  thread_.join();
}

std::vector<QueueWatcher::Queue> QueueWatcher::take() {
  const std::lock_guard guard(mutex_);
  ready_.clear();
  return std::exchange(seen_, {});
}

void QueueWatcher::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Queue queue;
    try {
      for (const auto& ticket : client_.inspect(lock_).tickets) queue.push_back({ticket.card.pid, ticket.token});
    } catch (const Error&) {
      // Cut off for a moment, or closed. It is asked again.
      queue.clear();
    }
    std::unique_lock guard(mutex_);
    if (!queue.empty()) {
      seen_.push_back(std::move(queue));
      ready_.set();
    }
    woken_.wait_for(guard, stop, kInterval, [] { return false; });
  }
}

}  // namespace holdfast::cli::demo
