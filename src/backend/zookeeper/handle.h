// handle.h -- one session with a service that has ZooKeeper's nodes, as asynchronous calls.
//
// When the session has expired, another Handle takes over. There are two: on libzookeeper_mt, and on the engine inside this
// process. Result codes, states and Stat are those of the library.
#pragma once

#include <zookeeper/zookeeper.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::zookeeper {

// What a request came back with. `rc` is the library's code; the rest is set where it makes sense.
struct Answer {
  int rc = ZOK;
  std::string text{};  // the created path, or the data
  Stat stat{};
  std::vector<std::string> children{};
  std::vector<std::string> created{};  // by a multi: the path of every step that was a create
  std::size_t failed = 0;              // of a multi: the first step that could not be made
};

// Not one of the library's own making: the server has answered.
constexpr bool came_from_the_server(int rc) {
  return rc == ZOK || rc == ZNONODE || rc == ZNODEEXISTS || rc == ZNOAUTH || rc == ZBADVERSION || rc == ZNOTEMPTY ||
         rc == ZNOCHILDRENFOREPHEMERALS;
}

// One step of a multi.
struct Op {
  enum class What { create, set, remove, check } what = What::check;
  std::string path;
  std::string data{};
  int mode = 0;  // of what is created
  int version = -1;
};

struct HandleOptions {
  int timeout_ms = 0;
  std::vector<Auth> auth{};
  std::vector<AclEntry> acl{};  // of every node that is created; none: open to all
};

class Handle {
 public:
  using Done = std::function<void(Answer)>;
  using WatchId = std::uint64_t;

  // Told inside the Executor.
  struct Events {
    std::function<void(int state, spi::SessionId session, Clock::duration timeout)> session;
    std::function<void(WatchId watch, int type)> watch;
  };

  virtual ~Handle() = default;

  // Starts to connect, without blocking if the hosts are numeric. Empty, or why that is impossible.
  virtual std::string open(const std::string& hosts) = 0;

  virtual void set_servers(const std::string& hosts) = 0;

  // Requests. `done` is called inside the Executor, exactly once, never before the call has returned.
  virtual void create(const std::string& path, const std::string& data, int mode, Done done) = 0;
  virtual void remove(const std::string& path, Done done) = 0;
  virtual void exists(const std::string& path, Done done) = 0;
  virtual void get(const std::string& path, Done done) = 0;
  virtual void get_and_watch(const std::string& path, WatchId watch, Done done) = 0;
  virtual void set(const std::string& path, const std::string& data, Done done) = 0;
  virtual void get_children(const std::string& path, Done done) = 0;
  virtual void get_children_and_stat(const std::string& path, Done done) = 0;
  virtual void get_children_and_watch(const std::string& path, WatchId watch, Done done) = 0;
  // All watches of this session on the data of that node, or on its children.
  virtual void remove_watch(const std::string& path, bool of_children, Done done) = 0;
  // All of it or nothing.
  virtual void multi(std::vector<Op> ops, Done done) = 0;
  virtual void sync(const std::string& path, Done done) = 0;

  // No events any more, and every request under way ends with `rc`. Inside the Executor.
  virtual void abandon(int rc) = 0;
  // Ends the session, if it can be reached. Blocks. After abandon().
  virtual void close() = 0;
};

using MakeHandle = std::function<std::shared_ptr<Handle>(spi::Executor&, HandleOptions, Handle::Events)>;

}  // namespace holdfast::zookeeper
