// node_events.h -- every node that comes or goes below a path, told by the server as it happens: one recursive watch, which
// ZooKeeper has from 3.6 on.
//
//                  the server has such watches   it has none      connection lost
//   connecting     -> listening                  -> unsupported   connecting
//   listening      -                             -                -> connecting; what happens meanwhile is not told
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/event_descriptor.h"
#include "cli/shell/session.h"

namespace holdfast::cli::shell {

struct NodeEvent {
  std::chrono::system_clock::time_point at;  // when it was told, by our clock
  bool created = false;                      // else it is gone
  std::string path;                          // below the URL's chroot
};

// On a thread and a session of its own.
class NodeEvents {
 public:
  // `wake` is called on that thread when there is something to take.
  NodeEvents(SessionOptions options, std::string path, std::function<void()> wake);
  // Ends the session.
  ~NodeEvents();
  NodeEvents(const NodeEvents&) = delete;
  NodeEvents& operator=(const NodeEvents&) = delete;

  // Until it is known whether it can listen, at most that long.
  void wait_for(std::chrono::milliseconds time);
  // What the server has sent by now can be taken when this returns; waits for it at most that long.
  void catch_up(std::chrono::milliseconds time);
  std::vector<NodeEvent> take();
  bool is_unsupported() const { return unsupported_; }

 private:
  void run();
  void listen(PolledSession& session);
  void settle(std::atomic<bool>& state);

  const SessionOptions options_;
  const std::string path_;
  const std::function<void()> wake_;
  const base::EventDescriptor stop_;     // readable: end
  const base::EventDescriptor changed_;  // readable: another connection, on which the watch may be missing
  std::atomic<bool> listening_ = false;
  std::atomic<bool> unsupported_ = false;
  std::mutex mutex_;
  std::condition_variable settled_;
  std::vector<NodeEvent> events_;
  std::thread thread_;
};

}  // namespace holdfast::cli::shell
