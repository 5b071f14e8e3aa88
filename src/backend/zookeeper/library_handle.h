// library_handle.h -- one zhandle_t of libzookeeper_mt, with its callbacks brought into the Executor.
//
// The library calls back on threads of its own. Nothing of ours happens there: the static functions in library_handle.cc copy what
// they were given and post it.
#pragma once

#include <zookeeper/zookeeper.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/zookeeper/handle.h"
#include "holdfast/spi/executor.h"

namespace holdfast::zookeeper {

class LibraryHandle : public Handle, public std::enable_shared_from_this<LibraryHandle> {
 public:
  LibraryHandle(spi::Executor& executor, HandleOptions options, Events events);
  ~LibraryHandle() override;
  LibraryHandle(const LibraryHandle&) = delete;
  LibraryHandle& operator=(const LibraryHandle&) = delete;

  std::string open(const std::string& hosts) override { return open(hosts, {}); }
  void set_servers(const std::string& hosts) override;
  void create(const std::string& path, const std::string& data, int mode, Done done) override;
  void remove(const std::string& path, Done done) override;
  void exists(const std::string& path, Done done) override;
  void get(const std::string& path, Done done) override;
  void get_and_watch(const std::string& path, WatchId watch, Done done) override;
  void set(const std::string& path, const std::string& data, Done done) override;
  void get_children(const std::string& path, Done done) override;
  void get_children_and_stat(const std::string& path, Done done) override;
  void get_children_and_watch(const std::string& path, WatchId watch, Done done) override;
  void remove_watch(const std::string& path, bool of_children, Done done) override;
  void multi(std::vector<Op> ops, Done done) override;
  void sync(const std::string& path, Done done) override;
  void abandon(int rc) override;
  // Ends the library's threads too. Waits a moment for what is under way: the library forgets to free what has not been
  // answered when it is closed.
  void close() override;

 protected:
  // Goes on with the same session at other servers, logged in there as told. The library's own way, to give it other servers, does not
  // help if they differ in the port only, nor can it log in while it has no connection. All watches are gone. Inside the Executor.
  std::string reopen(const std::string& hosts, const std::vector<Auth>& auth);
  // As open(), and logs in as `auth`, too.
  std::string open(const std::string& hosts, const std::vector<Auth>& auth);
  bool abandoned() const { return abandoned_; }
  spi::Executor& executor() { return executor_; }

 private:
  // What one that was replaced still has to say is of the past.
  bool listens_to(const zhandle_t* handle) const { return !abandoned_ && handle == handle_; }
  std::string start(const std::string& hosts, const std::vector<Auth>& auth, const clientid_t* session);

  struct Call;
  struct Multi;
  struct Callbacks;

  Call* add(Done done);
  void answered();
  void sent(Call* call, int rc);
  void finish(std::uint64_t id, Answer answer);

  spi::Executor& executor_;
  const HandleOptions options_;
  Events events_;
  std::vector<ACL> acl_storage_;
  ACL_vector acl_{};
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
