// handle.h -- one zhandle_t of libzookeeper_mt, with its callbacks brought into the Executor.
//
// The library calls back on threads of its own. Nothing of ours happens there: the static functions in handle.cc copy what
// they were given and post it. One Handle is one session; when it has expired, another Handle takes over.
#pragma once

#include <zookeeper/zookeeper.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
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

class Handle : public std::enable_shared_from_this<Handle> {
 public:
  using Done = std::function<void(Answer)>;
  using WatchId = std::uint64_t;

  // Told inside the Executor.
  struct Events {
    std::function<void(int state, spi::SessionId session, Clock::duration timeout)> session;
    std::function<void(WatchId watch, int type)> watch;
  };

  Handle(spi::Executor& executor, Events events);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Starts to connect, without blocking if the hosts are numeric. Empty, or why that is impossible.
  std::string open(const std::string& hosts, int timeout_ms, const std::vector<Auth>& auth);

  void set_servers(const std::string& hosts);

  // Requests. `done` is called inside the Executor, exactly once, never before the call has returned.
  void create(const std::string& path, const std::string& data, const ACL_vector& acl, int mode, Done done);
  void remove(const std::string& path, Done done);
  void exists(const std::string& path, Done done);
  void get(const std::string& path, Done done);
  void get_and_watch(const std::string& path, WatchId watch, Done done);
  void set(const std::string& path, const std::string& data, Done done);
  void get_children(const std::string& path, Done done);
  void get_children_and_stat(const std::string& path, Done done);
  void get_children_and_watch(const std::string& path, WatchId watch, Done done);
  // All watches of this session on the data of that node, or on its children.
  void remove_watch(const std::string& path, bool of_children, Done done);
  // All of it or nothing.
  void multi(std::vector<Op> ops, const ACL_vector& acl, Done done);
  void sync(const std::string& path, Done done);

  // No events any more, and every request under way ends with `rc`. Inside the Executor.
  void abandon(int rc);
  // Ends the session, if it can be reached, and the library's threads. Blocks. After abandon(). Waits a moment for what is
  // under way: the library forgets to free what has not been answered when it is closed.
  void close();

 private:
  struct Call;
  struct Multi;
  struct Callbacks;

  Call* add(Done done);
  void answered();
  void sent(Call* call, int rc);
  void finish(std::uint64_t id, Answer answer);

  spi::Executor& executor_;
  Events events_;
  bool abandoned_ = false;
  zhandle_t* handle_ = nullptr;
  // How many requests the library has not answered; its threads count.
  std::mutex unanswered_mutex_;
  std::condition_variable all_answered_;
  std::size_t unanswered_ = 0;
  // A Call is referred to by the library until its completion has run or the handle is closed.
  std::unordered_map<std::uint64_t, std::unique_ptr<Call>> calls_;
  std::uint64_t last_id_ = 0;
};

}  // namespace holdfast::zookeeper
