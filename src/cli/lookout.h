// lookout.h -- looks at the locks again and again, on a thread of its own, so that whoever waits for it can do other things.
//
// Once a second, and less often if a look takes longer than that. When the service is not reached, it tries with a new session every
// second: an engine that was started again may be somewhere else.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/describe.h"
#include "cli/service.h"

namespace holdfast::cli {

struct Look {
  std::vector<LockInfo> locks;
  std::optional<std::string> trouble;  // why there are none
  Time at;
};

class Lookout {
 public:
  // `name` empty: all of them. Signals that are blocked are blocked for its thread.
  Lookout(ServiceSettings settings, std::string name);
  ~Lookout();
  Lookout(const Lookout&) = delete;
  Lookout& operator=(const Lookout&) = delete;

  // Readable while there is something to take.
  int ready() const { return ready_; }
  // The newest look; nothing if there was none since. Throws what the first look failed with: that is no outage, but a mistake.
  std::optional<Look> take();

  // Ends the session and the thread. False: it waits for a service that does not answer, and cannot be left behind but with the process.
  bool stop();

 private:
  void run();
  void look_around(std::optional<Client>& client, Look& look) const;
  void post(Look look);

  const ServiceSettings settings_;
  const std::string name_;
  int ready_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Look> newest_;
  std::exception_ptr failure_;
  bool stopping_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace holdfast::cli
