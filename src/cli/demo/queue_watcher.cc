#include "cli/demo/queue_watcher.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "holdfast/error.h"

namespace holdfast::cli::demo {
namespace {

// Often enough to see every queue that the screen shows; two reads each.
constexpr std::chrono::milliseconds kInterval{50};

}  // namespace

QueueWatcher::QueueWatcher(const ServiceSettings& settings, std::string lock)
    : lock_(std::move(lock)),
      client_(connect(settings, {.purpose = "demo"})),
      ready_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (ready_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

QueueWatcher::~QueueWatcher() {
  thread_.request_stop();
  client_.close();  // wakes an inspect() that waits for the service
  thread_.join();
  ::close(ready_);
}

std::vector<QueueWatcher::Queue> QueueWatcher::take() {
  const std::lock_guard guard(mutex_);
  std::uint64_t count = 0;
  [[maybe_unused]] const auto size = ::read(ready_, &count, sizeof count);
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
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto size = ::write(ready_, &one, sizeof one);
    }
    woken_.wait_for(guard, stop, kInterval, [] { return false; });
  }
}

}  // namespace holdfast::cli::demo
