// queue_watcher.h -- looks at the queue of the demonstration's lock, again and again, as `holdfast show` would.
//
// On a thread and a session of its own: what it sees is what the service says, not what the workers say about themselves.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/event_descriptor.h"
#include "cli/config/service.h"
#include "holdfast/client.h"
#include "holdfast/fence.h"

namespace holdfast::cli::demo {

class QueueWatcher {
 public:
  struct Ticket {
    std::int64_t pid = 0;
    Token token = 0;
  };
  using Queue = std::vector<Ticket>;  // in its order

  // Throws as Client::connect().
  QueueWatcher(const ServiceSettings& settings, std::string lock);
  ~QueueWatcher();
  QueueWatcher(const QueueWatcher&) = delete;
  QueueWatcher& operator=(const QueueWatcher&) = delete;

  // Readable when there is something to take.
  int descriptor() const noexcept { return ready_.fd(); }
  // What was seen since the last call, in order.
  std::vector<Queue> take();

 private:
  void watch(const std::stop_token& stop);

  const std::string lock_;
  Client client_;
  const base::EventDescriptor ready_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::vector<Queue> seen_;
  std::jthread thread_;
};

}  // namespace holdfast::cli::demo
