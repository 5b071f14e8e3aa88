// service.h -- the server of a chaos run, and the lines by which clients reach it: a ZooKeeper, or a Redis.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fault_plan.h"

namespace holdfast::testing {

// Between one client and the server.
class Line {
 public:
  virtual ~Line() = default;

  virtual std::string address() const = 0;  // "127.0.0.1:port"
  // Nothing arrives that way until heal().
  virtual void swallow(Way way) = 0;
  virtual void heal() = 0;
  virtual void cut_all() = 0;
  // Forgets what it has recorded, so that a long run does not fill the memory with it.
  virtual void clear() {}
};

// From the thread that made it, which outlives it (see support/process.h).
class Service {
 public:
  virtual ~Service() = default;

  virtual std::string scheme() const = 0;  // "zk://"
  virtual std::unique_ptr<Line> new_line() const = 0;
  virtual bool up() const = 0;
  virtual void kill() = 0;
  virtual void restart() = 0;  // with its data
  // What is in the queue of a lock; nothing if the server did not say.
  virtual std::optional<std::vector<std::string>> tickets(const std::string& lock) = 0;
};

// "zookeeper" (or what HOLDFAST_TEST_SERVER says, see support/zookeeper_options.h) or "redis".
std::unique_ptr<Service> make_service(std::string_view kind);

}  // namespace holdfast::testing
