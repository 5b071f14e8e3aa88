// lock_watcher.h -- looks at the locks again and again, on a thread of its own, so that the thread that waits for it can do other things.
//
// Whenever the server tells of a ticket that came or went (shell/node_events.h), and once a second besides; less often if a look takes
// longer than that. When the service is not reached, it tries with a new session every second: an engine that was started again
// may be somewhere else.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/event_descriptor.h"
#include "cli/config/service.h"
#include "cli/shell/node_events.h"
#include "cli/view/describe.h"
#include "cli/view/lock_history.h"

namespace holdfast::cli {

struct Look {
  std::vector<LockInfo> locks{};
  std::optional<std::string> trouble{};  // why there are none
  Time at{};
  std::vector<NodeSign> signs{};  // what was told before it, since the look before
  bool polling =
      false;  // the server has no recursive watches, or is a Redis: what comes and goes between two looks is not seen
};

class LockWatcher {
 public:
  // `name` empty: all of them. Signals that are blocked are blocked for its threads.
  LockWatcher(ServiceSettings settings, std::string name);
  ~LockWatcher();
  LockWatcher(const LockWatcher&) = delete;
  LockWatcher& operator=(const LockWatcher&) = delete;

  // Readable while there is something to take.
  int ready() const { return ready_.fd(); }
  // The next look; nothing if there was none since. Throws what the first look failed with: that is no outage, but a mistake.
  std::optional<Look> take();

  // Looks once more, for what the server has told until now, then ends the session and the thread. False: it waits for a service that does not answer, and cannot be left behind but with the process.
  bool stop();

 private:
  using Locks = std::map<std::string, LockInfo>;  // by name

  void run();
  void wait(std::chrono::steady_clock::time_point full);
  void look_around(std::optional<Client>& client, bool everywhere, Look& look);
  void post(Look look);
  std::vector<NodeSign> take_signs(bool& everywhere);
  std::string full_name(const std::string& name) const;

  const ServiceSettings settings_;
  const std::string name_;
  const base::EventDescriptor ready_;
  Locks locks_;  // as they were seen last
  std::optional<shell::NodeEvents> events_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Look> looks_;
  std::exception_ptr failure_;
  bool told_ = false;  // by the server, since the last look
  bool stopping_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace holdfast::cli
